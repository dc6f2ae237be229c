// The one translation unit that includes CLI11: text to SweepOptions, checked, then dispatched.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "commands/command.h"
#include "commands/compare.h"
#include "commands/counters.h"
#include "commands/doctor.h"
#include "commands/help_texts.h"
#include "commands/outputs.h"
#include "commands/predict.h"
#include "commands/resume.h"
#include "commands/selftest.h"
#include "commands/shell_files.h"
#include "commands/sweep.h"
#include "config/parse.h"
#include "config/values.h"
#include "config/words.h"
#include "errors.h"
#include "plan/problems.h"
#include "report/formats.h"
#include "report/schema.h"
#include "version.h"

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

void add_outputs(CLI::App& app, std::vector<std::string>& outputs) {
    app.add_option("-o,--output", outputs, "Report to write, repeatable; format by extension")
        ->allow_extra_args(false)
        ->type_name("FILE");
}

void add_sweep_options(CLI::App& app, SweepOptions& out, bool& list) {
    ConfigLayer& o = out.request.overrides;
    add_axes(app, out.request);
    add(app, "--counters", "WORD", o.counters, parse_counters, "Hardware counters: auto, on, off");
    add(app, "--max-seconds", "SECONDS", o.max_seconds, parse_seconds,
        "Time budget of a case, in seconds");
    add(app, "--seed", "NUMBER", o.seed, parse_seed, "Seed of the random inputs");
    app.add_option("--device", out.device, "auto, cpu, cuda or cuda:INDEX (default: auto)")
        ->type_name("DEVICE");
    add_outputs(app, out.outputs);
    app.add_flag("--dry-run", out.dry_run, "Print the plan, measure nothing");
    app.add_flag("--resume", out.resume, "Run what the interrupted report of -o FILE.json lacks")
        ->excludes("--dry-run");
    app.add_flag("--selftest", out.selftest,
                 "Calibrate the counters beside the cases; one that is off loses its values");
    app.add_flag("!--no-ceilings", out.ceilings,
                 "Measure no ceilings: quicker, but nothing to hold a case against");
    app.add_flag("-q,--quiet", out.quiet, "No progress on stderr");
    app.add_flag("--list-kernels", list, "Print the kernels and what they support");
}

/// The commands that look at the machine rather than at attention.
struct MachineCommands {
    explicit MachineCommands(CLI::App& app) {
        counters = app.add_subcommand(
            "counters", "Print which hardware metric stands for each counter, chip by chip");
        counters->add_option("--chip", of_counters.chip, "GH100, GB202, ... or all; needs no GPU")
            ->type_name("CHIP");
        counters->add_flag("--json", of_counters.json, "Print JSON");
        selftest = app.add_subcommand("selftest", "Hold every counter to kernels of known counts");
        selftest->add_option("--device", of_selftest.device, "cuda or cuda:INDEX (default: cuda)")
            ->type_name("DEVICE");
        selftest->add_flag("--json", of_selftest.json, "Print JSON");
        doctor = app.add_subcommand("doctor", "Say what stands in the way of counters, and why");
        add(
            *doctor, "--index", "INDEX", of_doctor.index,
            [](const std::string& option, const std::string& text) {
                return static_cast<int>(whole_number(option, text, 0, 999));  // as in cuda:999
            },
            "CUDA device to look at (default: 0)");
        doctor->add_flag("--json", of_doctor.json, "Print JSON");
        counters->footer("Examples:\n  attnroof counters\n  attnroof counters --chip GB202 --json");
        selftest->footer("Examples:\n  attnroof selftest\n  attnroof selftest --device cuda:1");
        doctor->footer("Examples:\n  attnroof doctor\n  attnroof doctor --json");
        for (CLI::App* command : all()) command->allow_extras();
    }
    std::vector<CLI::App*> all() const { return {counters, selftest, doctor}; }
    /// The exit code when one of them was given.
    std::optional<int> run() const {
        if (counters->parsed()) return run_counters(of_counters);
        if (selftest->parsed()) return run_selftest_command(of_selftest);
        if (doctor->parsed()) return run_doctor(of_doctor);
        return std::nullopt;
    }

    CLI::App *counters, *selftest, *doctor;
    CountersOptions of_counters;
    SelfTestOptions of_selftest;
    DoctorOptions of_doctor;
};

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!sub->get_group().empty()) names.push_back(sub->get_name());
    return names;
}

/// Names what CLI11 could not place, with the nearest thing it could have been.
void reject_extras(const CLI::App& app) {
    const std::vector<std::string> extras = app.remaining();
    if (extras.empty()) return;
    const std::string& word = extras.front();
    if (word.size() > 1 && word[0] == '-') {
        std::vector<std::string> known;
        for (const CLI::Option* option : app.get_options())
            for (const std::string& name : option->get_lnames()) known.push_back(name);
        const std::string name = word.substr(0, word.find('='));
        const std::string bare = name.substr(std::min(name.find_first_not_of('-'), name.size()));
        throw UsageError(fmt::format("unknown option {}{} (--help lists them)", in_quotes(name),
                                     did_you_mean(bare, known, "--")));
    }
    if (app.get_parent() != nullptr)
        throw UsageError(
            fmt::format("{}: unexpected argument {}", app.get_name(), in_quotes(word)));
    const std::vector<std::string> commands = command_names(app);
    throw UsageError(fmt::format("unknown command {}{} (commands: {})", in_quotes(word),
                                 did_you_mean(word, commands), fmt::join(commands, ", ")));
}

/// The kinds of device that `text` may turn out to be.
std::vector<DeviceKind> device_kinds(const std::string& text) {
    if (text == "auto") return {DeviceKind::cuda, DeviceKind::cpu};
    if (text == "cpu") return {DeviceKind::cpu};
    const bool indexed =
        text.rfind("cuda:", 0) == 0 && text.size() > 5 && text.size() < 9 &&
        std::all_of(text.begin() + 5, text.end(), [](unsigned char c) { return std::isdigit(c); });
    if (text == "cuda" || indexed) return {DeviceKind::cuda};
    throw UsageError(fmt::format("--device: unknown device {}{} (known: auto, cpu, cuda, cuda:0)",
                                 in_quotes(text), did_you_mean(text, {"auto", "cpu", "cuda"})));
}

void check_outputs(const std::vector<std::string>& outputs) {
    attnroof::check_outputs(outputs, format_of);
}

/// Finds every mistake that can be found without a device, before anything is opened or measured.
void check(const SweepOptions& options) {
    for (DeviceKind kind : device_kinds(options.device))
        list_problems(resolve(options.request, kind));
    if (options.resume) path_to_resume(options.outputs);
    check_outputs(options.outputs);
}

int dispatch_sweep(const SweepOptions& options, bool list) {
    if (list) return list_kernels();
    check(options);
    return options.dry_run ? run_dry_run(options) : run_sweep(options);
}

void add_predict_options(CLI::App& app, PredictRequest& out) {
    app.add_option("--device-spec", out.device_spec,
                   "Device by name, spec file, or report whose device and ceilings to use")
        ->type_name("NAME|FILE|REPORT");
    add_axes(app, out.request);
    add_outputs(app, out.outputs);
}

int dispatch_predict(const PredictRequest& request) {
    check_outputs(request.outputs);
    return run_predict(request);
}

OptionHelp help_of(const CLI::Option& option) {
    OptionHelp help;
    for (const std::string& name : option.get_snames()) help.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) help.names.push_back("--" + name);
    if (option.get_items_expected_max() > 0) help.value = option.get_type_name();
    help.text = option.get_description();
    return help;
}

/// What --help tells, as data.
CommandHelp help_of(const CLI::App& app) {
    CommandHelp help{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
    for (const CLI::Option* option : app.get_options()) help.options.push_back(help_of(*option));
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!sub->get_group().empty()) help.commands.push_back(help_of(*sub));
    return help;
}

/// The commands that print what was compiled in: the schema, completions, the man page.
struct PrintCommands {
    explicit PrintCommands(CLI::App& app) {
        schema = app.add_subcommand("schema", "Print the JSON Schema of a report");
        schema->footer(schema_help);
        completion = app.add_subcommand("completion", "Print completions for bash, zsh or fish");
        completion->add_option("SHELL", shell, "bash, zsh or fish")->type_name("SHELL");
        completion->footer(completion_help);
        man = app.add_subcommand("man", "Print the man page")->group("");  // for installing
        for (CLI::App* command : all()) command->allow_extras();
    }
    std::vector<CLI::App*> all() const { return {schema, completion, man}; }
    /// True when one of them was given.
    bool run(const CLI::App& app) const {
        if (schema->parsed())
            fmt::print("{}", report_schema());
        else if (completion->parsed())
            fmt::print("{}", attnroof::completion(help_of(app), shell));
        else if (man->parsed())
            fmt::print("{}", man_page(help_of(app), build::version));
        else
            return false;
        return true;
    }

    CLI::App *schema, *completion, *man;
    std::string shell;
};

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
    app.add_flag("--any-device", out.any_device, "Compare different devices, with a warning");
    app.add_option("-o,--output", out.outputs, "File to write, repeatable: .md .xml .json .txt")
        ->allow_extra_args(false)
        ->type_name("FILE");
    app.add_option("--annotations", out.annotations, "github: workflow commands on stdout")
        ->type_name("WHERE");
}

struct ExportOptions {
    std::string report;
    std::vector<std::string> outputs;
};

void add_export_options(CLI::App& app, ExportOptions& out) {
    app.add_option("REPORT", out.report, "JSON report of a sweep")->type_name("FILE");
    app.add_option("-o,--output", out.outputs, "File to write, repeatable; format by extension")
        ->allow_extra_args(false)
        ->type_name("FILE");
}

int dispatch_export(const ExportOptions& options) {
    if (options.report.empty())
        throw UsageError("export needs a report: attnroof export FILE.json");
    check_outputs(options.outputs);
    return run_export(options.report, options.outputs);
}

}  // namespace

int run_command_line(int argc, const char* const* argv) {
    CLI::App app("Where does attention sit on this machine's roofline, and why?", "attnroof");
    app.footer(examples);
    app.set_version_flag("--version",
                         fmt::format("attnroof {} ({}{})", build::version, build::git_sha,
                                     build::git_dirty ? ", modified" : ""));
    app.require_subcommand(0, 1)->allow_extras();

    SweepOptions options;
    options.command.assign(argv, argv + argc);
    bool list = false;
    CLI::App* sweep = app.add_subcommand("sweep", "Measure attention kernels over a sweep of sizes")
                          ->allow_extras();
    sweep->footer(sweep_help);
    add_sweep_options(*sweep, options, list);

    CompareRequest request;
    CLI::App* compare =
        app.add_subcommand("compare", "Compare two reports, or two sets; fail on a regression")
            ->allow_extras();
    compare->footer(compare_help);
    add_compare_options(*compare, request);

    ExportOptions exported;
    CLI::App* exporter =
        app.add_subcommand("export", "Write a saved report in other formats")->allow_extras();
    exporter->footer(export_help);
    add_export_options(*exporter, exported);
    const MachineCommands machine(app);

    PredictRequest prediction;
    prediction.command = options.command;
    CLI::App* predict =
        app.add_subcommand("predict", "Model and roofs of a device that need not be here")
            ->allow_extras();
    predict->footer(predict_help);
    add_predict_options(*predict, prediction);

    const PrintCommands printing(app);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
        throw UsageError(error.what());
    }
    reject_extras(*sweep);
    reject_extras(*compare);
    reject_extras(*exporter);
    for (const CLI::App* command : machine.all()) reject_extras(*command);
    for (const CLI::App* command : printing.all()) reject_extras(*command);
    reject_extras(*predict);
    reject_extras(app);
    if (const std::optional<int> code = machine.run()) return *code;
    if (printing.run(app)) return 0;
    if (compare->parsed()) return run_compare(request);
    if (predict->parsed()) return dispatch_predict(prediction);
    if (sweep->parsed()) return dispatch_sweep(options, list);
    if (exporter->parsed()) return dispatch_export(exported);
    fmt::print("{}", app.help());
    throw UsageError("no command given");
}

}  // namespace attnroof
