// attnroof sweep --list-kernels: what each registry row takes, found out by asking it.
#include <fmt/format.h>

#include <cstdio>
#include <numeric>

#include "commands/command.h"
#include "kernels/registry.h"
#include "report/text_grid.h"

namespace attnroof {
namespace {

/// High enough for every row of the registry.
constexpr int newest_capability = 120;
constexpr int capabilities[] = {70, 75, 80, 86, 89, 90, 100, 103, 120};

/// A problem that the row takes on some device, so that one property at a time can be varied.
struct Taken {
    AttentionProblem problem;
    int capability;
};

std::optional<Taken> find_taken(const KernelRow& row) {
    for (Pass pass : {Pass::forward, Pass::backward})
        for (DType dtype : {DType::bf16, DType::fp16, DType::fp32})
            for (Mask mask : {Mask::full, Mask::causal})
                for (int capability : capabilities)
                    if (const AttentionProblem p{pass, dtype, mask, 1, 1, 1, 128, 128, 64};
                        !row.refuses(p, capability))
                        return Taken{p, capability};
    return std::nullopt;
}

/// Names of the enumerators that the row takes in place of the taken problem's own.
template <typename Enum, std::size_t count>
std::string taken_names(const KernelRow& row, const Taken& taken, Enum AttentionProblem::*field,
                        const std::array<const char*, count>& names) {
    std::vector<std::string> accepted;
    for (std::size_t i = 0; i < count; ++i) {
        AttentionProblem p = taken.problem;
        p.*field = static_cast<Enum>(i);
        if (!row.refuses(p, taken.capability)) accepted.push_back(names[i]);
    }
    return fmt::format("{}", fmt::join(accepted, ","));
}

/// "8..256 by 8"; "1.." when there is no limit below 4096.
std::string taken_head_dims(const KernelRow& row, const Taken& taken) {
    constexpr std::int64_t last = 4096;
    std::int64_t least = 0, most = 0, step = 0;
    for (std::int64_t d = 1; d <= last; ++d) {
        AttentionProblem p = taken.problem;
        p.head_dim = d;
        if (row.refuses(p, taken.capability)) continue;
        if (least == 0) least = d;
        most = d;
        step = std::gcd(step, d);
    }
    return fmt::format("{}..{}{}", least, most + step > last ? "" : std::to_string(most),
                       step > 1 ? fmt::format(" by {}", step) : "");
}

/// The compute capabilities that the row takes: "8.0+", or "9.0" when newer ones are refused.
std::string taken_capabilities(const KernelRow& row, const Taken& taken) {
    if (row.device == DeviceKind::cpu) return "any CPU";
    const bool newest = !row.refuses(taken.problem, newest_capability);
    return fmt::format("cc {}.{}{}", taken.capability / 10, taken.capability % 10,
                       newest ? "+" : "");
}

std::vector<std::string> table_row(const KernelRow& row) {
    std::vector<std::string> cells{fmt::format("{}:{}", row.name, row.variant), name(row.device)};
    if (const auto taken = find_taken(row)) {
        cells.push_back(taken_capabilities(row, *taken));
        cells.push_back(taken_names(row, *taken, &AttentionProblem::pass, pass_names));
        cells.push_back(taken_names(row, *taken, &AttentionProblem::dtype, dtype_names));
        cells.push_back(taken_names(row, *taken, &AttentionProblem::mask, mask_names));
        cells.push_back(taken_head_dims(row, *taken));
    } else {
        cells.insert(cells.end(), 5, "-");
    }
    const bool built = !row.steps.empty() && row.steps.front().launch != nullptr;
    cells.push_back(fmt::format("{}", row.steps.size()));
    cells.push_back(row.summary + (built ? "" : " (not in this build)"));
    return cells;
}

}  // namespace

int list_kernels() {
    std::vector<GridColumn> columns;
    for (const char* head :
         {"kernel", "device", "needs", "pass", "dtype", "mask", "head_dim", "launches", "summary"})
        columns.push_back({head, false});
    std::vector<GridRow> rows;
    for (const KernelRow& row : kernel_registry()) rows.push_back({table_row(row), "", ""});
    fmt::print("{}", layout_grid(columns, rows, 0, false));
    fmt::print(
        "\nA name without a variant takes the first row of the device that accepts the "
        "problem.\n");
    return 0;
}

}  // namespace attnroof
