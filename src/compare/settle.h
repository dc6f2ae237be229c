// The command that measures one case again, longer.
#pragma once

#include <string>

#include "report/report.h"

namespace attnroof {

/// `attnroof sweep ...` that runs just this case with a time budget of two seconds.
std::string settle_command(const CaseResult& result, DeviceKind device);

}  // namespace attnroof
