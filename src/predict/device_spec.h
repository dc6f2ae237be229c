// A device that is not here: its facts and its ceilings, from a datasheet or from a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/ceiling.h"
#include "backend/device_facts.h"

namespace attnroof {

struct DeviceSpec {
    DeviceFacts facts;
    std::vector<Ceiling> ceilings;  // source: datasheet, or measured where a report gave them
    std::string source;             // where the numbers are from, in words
};

/// The shipped spec of that name (devices/*.json: h200, h100, ...; H100 too), else the file of that
/// path: a spec like the shipped ones, or a report of `attnroof sweep`, whose own device and
/// ceilings are taken. Throws UsageError: unknown name, unreadable file, a key that is missing,
/// unknown or of the wrong type, a number that is not above 0.
DeviceSpec load_device_spec(const std::string& name_or_path);

/// The chip (GH100) of the shipped device of that name (h200, NVIDIA H200 SXM); any other text as
/// it is.
std::string chip_of(const std::string& device);

/// `source` (a file name) starts every message.
DeviceSpec parse_device_spec(std::string_view text, const std::string& source);

}  // namespace attnroof
