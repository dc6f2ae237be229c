// The commands that look at the machine rather than at attention: counters, selftest, doctor.
#pragma once

#include <optional>

#include "commands/counters.h"
#include "commands/doctor.h"
#include "commands/selftest.h"

namespace CLI {
class App;
}

namespace attnroof {

struct MachineCommands {
    /// `app` parses into this object: it stays where it is.
    explicit MachineCommands(CLI::App& app);
    MachineCommands(const MachineCommands&) = delete;
    MachineCommands& operator=(const MachineCommands&) = delete;
    /// The exit code when one of them was given.
    std::optional<int> run() const;

    CLI::App *counters, *selftest, *doctor;
    CountersOptions of_counters;
    SelfTestOptions of_selftest;
    DoctorOptions of_doctor;
};

}  // namespace attnroof
