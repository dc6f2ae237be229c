// The command line: parsed, checked, then dispatched.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <sstream>

#include "commands/command.h"
#include "commands/compare.h"
#include "commands/export.h"
#include "commands/help_texts.h"
#include "commands/machine_commands.h"
#include "commands/options.h"
#include "commands/outputs.h"
#include "commands/predict.h"
#include "commands/print_commands.h"
#include "commands/resume.h"
#include "commands/sweep.h"
#include "config/words.h"
#include "errors.h"
#include "plan/problems.h"
#include "report/formats.h"
#include "version.h"

namespace attnroof {
namespace {

CLI::App* add_command(CLI::App& app, const char* name, const char* what, const char* footer) {
    CLI::App* command = app.add_subcommand(name, what)->allow_extras();
    command->footer(footer);
    return command;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* sub : commands_of(app))
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

/// The exit code of --help and --version, which end here.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() != 0) throw UsageError(error.what());
        std::ostringstream text;  // by stdout, whose failure main sees
        app.exit(error, text, text);
        fmt::print("{}", text.str());
        return static_cast<int>(ExitCode::pass);
    }
    for (const CLI::App* command : commands_of(app)) reject_extras(*command);
    reject_extras(app);
    return std::nullopt;
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

/// What measures nothing writes nothing: an -o beside it would be ignored in silence.
void refuse_outputs(const SweepOptions& options, const char* with) {
    if (!options.outputs.empty())
        throw UsageError(fmt::format("{} writes no report: leave out -o {}", with,
                                     printable(options.outputs.front())));
}

int dispatch_sweep(const SweepOptions& options, bool list) {
    if (list) refuse_outputs(options, "--list-kernels");
    if (options.dry_run) refuse_outputs(options, "--dry-run");
    if (list) return list_kernels();
    check(options);
    return options.dry_run ? run_dry_run(options) : run_sweep(options);
}

int dispatch_predict(const PredictRequest& request) {
    check_outputs(request.outputs);
    return run_predict(request);
}

int dispatch_export(const ExportOptions& options) {
    if (options.report.empty())
        throw UsageError("export needs a report: attnroof export FILE.json");
    check_outputs(options.outputs);
    return run_export(options);
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
    CLI::App* sweep =
        add_command(app, "sweep", "Measure attention kernels over a sweep of sizes", sweep_help);
    add_sweep_options(*sweep, options, list);

    CompareRequest request;
    CLI::App* compare = add_command(
        app, "compare", "Compare two reports, or two sets; fail on a regression", compare_help);
    add_compare_options(*compare, request);

    ExportOptions exported;
    CLI::App* exporter =
        add_command(app, "export", "Write a saved report in other formats", export_help);
    add_export_options(*exporter, exported);
    MachineCommands machine(app);

    PredictRequest prediction;
    prediction.command = options.command;
    CLI::App* predict = add_command(
        app, "predict", "Model and roofs of a device that need not be here", predict_help);
    add_predict_options(*predict, prediction);
    PrintCommands printing(app);

    if (const std::optional<int> code = parse(app, argc, argv)) return *code;
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
