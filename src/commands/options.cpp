#include "commands/options.h"

#include <CLI/CLI.hpp>

#include "commands/compare.h"
#include "commands/export.h"
#include "commands/predict.h"
#include "commands/sweep_options.h"
#include "config/parse.h"

namespace attnroof {
namespace {

/// One option whose text is parsed at once; `option` starts the parser's messages.
template <typename Field, typename Parser>
void add(CLI::App& app, const char* option, const char* kind, Field& field, Parser parse,
         const char* help) {
    app.add_option_function<std::string>(
           option,
           [&field, parse, option](const std::string& text) { field = parse(option, text); }, help)
        ->type_name(kind);
}

/// What is swept: --config and the axes that replace its own.
void add_axes(CLI::App& app, SweepRequest& out) {
    ConfigLayer& o = out.overrides;
    app.add_option_function<std::string>(
           "--config",
           [&request = out](const std::string& text) {
               request.config_name = text;
               request.file = load_config(text);
           },
           "Config file, or name of a shipped config")
        ->type_name("FILE|NAME");
    add(app, "-N,--seq-len", "SIZES", o.seq_lens, parse_sizes,
        "Sequence lengths: q_len and kv_len");
    add(app, "--q-len", "SIZES", o.q_lens, parse_sizes,
        "Query lengths, where they differ from kv_len");
    add(app, "--kv-len", "SIZES", o.kv_lens, parse_sizes, "Key/value lengths");
    add(app, "-d,--head-dim", "SIZES", o.head_dims, parse_sizes, "Head dimensions");
    add(app, "--dtype", "LIST", o.dtypes, parse_dtypes, "fp32, fp16, bf16");
    add(app, "--mask", "LIST", o.masks, parse_masks, "full, causal");
    add(app, "--pass", "LIST", o.passes, parse_passes, "forward; no kernel does backward yet");
    add(app, "--batch", "SIZES", o.batches, parse_sizes, "Batch sizes");
    add(app, "--heads", "SIZES", o.heads, parse_sizes, "Query heads");
    add(app, "--kv-heads", "SIZES", o.kv_heads, parse_sizes,
        "Key/value heads (default: as many as heads)");
    add(app, "--tokens", "SIZE", o.tokens, parse_size, "Batch = max(1, tokens / q_len)");
    add(app, "--hidden", "SIZE", o.hidden, parse_size, "Heads = max(1, hidden / head_dim)");
    add(app, "--kernels", "LIST", o.kernels, parse_kernels, "Kernels: naive,fused,fused:sm80");
    add(app, "--cache", "LIST", o.caches, parse_caches, "cold, warm");
    add(app, "--levels", "LIST", o.levels, parse_levels, "Rooflines of these levels: hbm, l2, l1");
}

void add_outputs(CLI::App& app, std::vector<std::string>& outputs, const char* help) {
    app.add_option("-o,--output", outputs, help)->allow_extra_args(false)->type_name("FILE");
}

}  // namespace

void add_sweep_options(CLI::App& app, SweepOptions& out, bool& list) {
    ConfigLayer& o = out.request.overrides;
    add_axes(app, out.request);
    add(app, "--counters", "WORD", o.counters, parse_counters, "Hardware counters: auto, on, off");
    add(app, "--max-seconds", "SECONDS", o.max_seconds, parse_seconds,
        "Time budget of a case, in seconds");
    add(app, "--seed", "NUMBER", o.seed, parse_seed, "Seed of the random inputs");
    app.add_option("--device", out.device, "auto, cpu, cuda or cuda:INDEX (default: auto)")
        ->type_name("DEVICE");
    add_outputs(app, out.outputs, "Report to write, repeatable; format by extension");
    app.add_flag("--dry-run", out.dry_run, "Print the plan, measure nothing");
    app.add_flag("--resume", out.resume, "Run what the interrupted report of -o FILE.json lacks")
        ->excludes("--dry-run");
    CLI::Option* selftest = app.add_flag_callback(
        "--selftest", [&o] { o.selftest = true; },
        "Hold the counters to kernels of known counts beside the cases; one that is off loses its "
        "values (default)");
    app.add_flag_callback(
           "--no-selftest", [&o] { o.selftest = false; }, "No kernels of known counts")
        ->excludes(selftest);
    app.add_flag_callback(
        "--no-ceilings", [&out] { out.ceilings = false; },
        "Measure no ceilings: quicker, but nothing to hold a case against");
    app.add_flag("-q,--quiet", out.quiet, "No progress and no names of files on stderr");
    app.add_flag("--list-kernels", list, "Print the kernels and what they support");
}

void add_predict_options(CLI::App& app, PredictRequest& out) {
    app.add_option("--device-spec", out.device_spec,
                   "Device by name, spec file, or report whose device and ceilings to use")
        ->type_name("NAME|FILE|REPORT");
    add_axes(app, out.request);
    add_outputs(app, out.outputs, "Report to write, repeatable; format by extension");
    app.add_flag("-q,--quiet", out.quiet, "Nothing on stderr but errors");
}

void add_compare_options(CLI::App& app, CompareRequest& out) {
    app.add_option("reports", out.reports, "BASE NEW: two reports of `attnroof sweep`")
        ->type_name("FILE");
    app.add_option("--base", out.base, "Base reports, one a process that measured")
        ->type_name("FILE...");
    app.add_option("--new", out.fresh, "New reports, one a process that measured")
        ->type_name("FILE...");
    app.add_option("--config", out.config, "Config file, or shipped config, whose \"gate\" to use")
        ->type_name("FILE|NAME");
    add(app, "--limit-percent", "PERCENT", out.limits.percent, parse_limit,
        "Slower is beyond this (default: 5) ...");
    add(app, "--limit-seconds", "SECONDS", out.limits.seconds, parse_limit,
        "... and beyond this (default: 2e-6); both win over the config");
    app.add_option("--require", out.required, "Case that must be there, pattern, repeatable")
        ->allow_extra_args(false)
        ->type_name("PATTERN");
    app.add_option("--alias", out.aliases, "Case renamed since the base, repeatable")
        ->allow_extra_args(false)
        ->type_name("OLD=NEW");
    app.add_flag("--strict", out.strict, "An ambiguous case fails too");
    app.add_flag("-q,--quiet", out.quiet, "No table: the exit code tells, and the files written");
    app.add_flag("--any-device", out.any_device, "Compare different devices, with a warning");
    add_outputs(app, out.outputs, "File to write, repeatable: .md .xml .json .txt");
    app.add_option("--annotations", out.annotations, "github: workflow commands on stdout")
        ->type_name("WHERE");
}

void add_export_options(CLI::App& app, ExportOptions& out) {
    add(app, "--levels", "LIST", out.levels, parse_levels,
        "Rooflines of these levels: hbm, l2, l1 (default: the report's own)");
    app.add_option("REPORT", out.report, "JSON report of a sweep")->type_name("FILE");
    add_outputs(app, out.outputs, "File to write, repeatable; format by extension");
}

}  // namespace attnroof
