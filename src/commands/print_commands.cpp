#include "commands/print_commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "commands/help_texts.h"
#include "commands/shell_files.h"
#include "report/schema.h"
#include "version.h"

namespace attnroof {
namespace {

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

}  // namespace

PrintCommands::PrintCommands(CLI::App& app) {
    schema = app.add_subcommand("schema", "Print the JSON Schema of a report");
    schema->footer(schema_help);
    completion = app.add_subcommand("completion", "Print completions for bash, zsh or fish");
    completion->add_option("SHELL", shell, "bash, zsh or fish")->type_name("SHELL");
    completion->footer(completion_help);
    man = app.add_subcommand("man", "Print the man page")->group("");  // for installing
    for (CLI::App* command : {schema, completion, man}) command->allow_extras();
}

bool PrintCommands::run(const CLI::App& app) const {
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

}  // namespace attnroof
