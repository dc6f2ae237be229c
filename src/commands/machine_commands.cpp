#include "commands/machine_commands.h"

#include <CLI/CLI.hpp>

#include "config/values.h"

namespace attnroof {

MachineCommands::MachineCommands(CLI::App& app) {
    counters = app.add_subcommand(
        "counters", "Print which hardware metric stands for each counter, chip by chip");
    counters
        ->add_option("--chip", of_counters.chip,
                     "GH100, GB202, ... or a device (h100), or all; needs no GPU")
        ->type_name("CHIP");
    counters->add_flag("--json", of_counters.json, "Print JSON");
    selftest = app.add_subcommand("selftest", "Hold every counter to kernels of known counts");
    selftest->add_option("--device", of_selftest.device, "cuda or cuda:INDEX (default: cuda)")
        ->type_name("DEVICE");
    selftest->add_flag("--json", of_selftest.json, "Print JSON");
    doctor = app.add_subcommand("doctor", "Say what stands in the way of counters, and why");
    doctor
        ->add_option_function<std::string>(
            "--index",
            [this](const std::string& text) {  // as in cuda:999
                of_doctor.index = static_cast<int>(whole_number("--index", text, 0, 999));
            },
            "CUDA device to look at (default: 0)")
        ->type_name("INDEX");
    doctor->add_flag("--json", of_doctor.json, "Print JSON");
    counters->footer(
        "Examples:\n  attnroof counters\n  attnroof counters --chip GB202 --json\n  attnroof "
        "counters --chip h200");
    selftest->footer("Examples:\n  attnroof selftest\n  attnroof selftest --device cuda:1");
    doctor->footer("Examples:\n  attnroof doctor\n  attnroof doctor --json");
    for (CLI::App* command : {counters, selftest, doctor}) command->allow_extras();
}

std::optional<int> MachineCommands::run() const {
    if (counters->parsed()) return run_counters(of_counters);
    if (selftest->parsed()) return run_selftest_command(of_selftest);
    if (doctor->parsed()) return run_doctor(of_doctor);
    return std::nullopt;
}

}  // namespace attnroof
