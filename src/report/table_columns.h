// The columns of a table of cases, for the terminal and for markdown.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/report.h"
#include "report/text_grid.h"

namespace attnroof {

/// One unit for a column, so that its numbers can be compared at a glance.
struct Scale {
    double divisor;
    std::string prefix;
};

/// The units of FLOP/s and of bytes that suit a report.
struct Scales {
    Scale flops, bytes;
};

struct CaseColumn {
    GridColumn head;
    /// A space, * (modelled bytes) or ! (warnings) may end the text of a number.
    std::function<std::string(const CaseResult&, const Scales&)> cell;
    bool of_problem = false;  // shown once for the cases of one problem
};

Scales scales_of(const Report& report);

/// Axes that vary, kernel, then figures. The columns refer to the report.
std::vector<CaseColumn> case_columns(const Report& report, const Scales& scales);

/// The figures of a case that nothing ran for: what it needs, and what the roofs allow.
void add_predicted_figures(std::vector<CaseColumn>& columns, const Report& report);

/// "HBM" on a GPU, "DRAM" on a CPU.
std::string memory_name(const Report& report);

/// The device in a line: "NVIDIA H200, 132 SMs, 150 GB, driver 580.159.04, 700 W".
std::string device_text(const DeviceFacts& device);

/// "hbm.read 4.42 TB/s, tensor.bf16 668 TFLOP/s sustained, ..."
std::string ceilings_text(const std::vector<Ceiling>& ceilings);

/// Each warning once, with the case it is about or with how many there are.
std::vector<std::pair<std::string, std::string>> grouped_warnings(const Report& report);

/// True when the point's bytes are those of the model.
inline bool modelled(const CaseResult& c) {
    return c.point && c.point->bytes_source == Source::modelled;
}

}  // namespace attnroof
