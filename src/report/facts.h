// What a report says about the tool and the host: version, commit, compilers, machine, time.
#pragma once

#include <map>
#include <string>

#include "report/report.h"

namespace attnroof {

ToolFacts tool_facts();
/// name, os, cpu, cores.
std::map<std::string, std::string> host_facts();
/// Now, in UTC: 2026-11-29T15:19:44Z.
std::string utc_now();

}  // namespace attnroof
