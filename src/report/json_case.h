// One case of a report as JSON.
#pragma once

#include "report/json_block.h"
#include "report/report.h"

namespace attnroof {

Json case_json(const CaseResult& result, const Report& report);

}  // namespace attnroof
