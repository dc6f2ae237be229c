#include "plan/plan.h"

#include <fmt/format.h>

#include <unordered_set>

#include "errors.h"
#include "plan/problems.h"
#include "plan/units.h"

namespace attnroof {
namespace {

std::string case_id(const KernelChoice& asked, const AttentionProblem& problem, CacheMode cache) {
    // describe() starts with the pass; the kernel stands behind it.
    const std::string text = describe(problem);
    const std::size_t slash = text.find('/');
    return fmt::format("{}/{}{}/{}", text.substr(0, slash), asked.text(), text.substr(slash),
                       name(cache));
}

bool matches(const KernelRow& row, const KernelChoice& asked, DeviceKind device) {
    return row.device == device && row.name == asked.name &&
           (asked.variant.empty() || row.variant == asked.variant);
}

/// Sets the kernel to the first row that takes the problem; else status and reason.
void choose_kernel(Case& c, const DeviceFacts& device) {
    std::string refusals;
    for (const KernelRow& row : kernel_registry()) {
        if (!matches(row, c.asked, device.kind)) continue;
        const auto refusal = row.refuses(c.problem, device.compute_capability);
        if (!refusal) {
            c.kernel = &row;
            return;
        }
        refusals += fmt::format("{}{}:{} {}", refusals.empty() ? "" : "; ", row.name, row.variant,
                                *refusal);
    }
    c.status = Status::unsupported;
    c.reason = refusals.empty()
                   ? fmt::format("{} has no kernel for {}", c.asked.text(), name(device.kind))
                   : refusals;
}

/// Sets what the case needs; one that needs more than there is becomes skipped.
void check_memory(Case& c, const DeviceFacts& device, std::int64_t available_bytes) {
    // Displacing the last-level cache takes a buffer of twice its size.
    const std::int64_t displacing = c.cache == CacheMode::cold ? 2 * device.cache_bytes : 0;
    c.needed_bytes = operand_bytes(c.problem) + c.kernel->workspace_bytes(c.problem) + displacing;
    if (c.needed_bytes <= available_bytes) return;
    c.status = Status::skipped;
    c.reason = fmt::format("needs {} bytes ({}), available are {} bytes ({})", c.needed_bytes,
                           readable_bytes(c.needed_bytes), available_bytes,
                           readable_bytes(available_bytes));
}

}  // namespace

std::vector<Case> make_plan(const SweepConfig& config, const DeviceFacts& device,
                            std::int64_t available_bytes) {
    std::vector<Case> plan;
    std::unordered_set<std::string> ids;
    for (const AttentionProblem& problem : list_problems(config))
        for (const KernelChoice& asked : config.kernels)
            for (CacheMode cache : config.caches) {
                Case c;
                c.id = case_id(asked, problem, cache);
                c.problem = problem;
                c.asked = asked;
                c.cache = cache;
                if (!ids.insert(c.id).second)
                    throw UsageError("two cases have the same id: " + c.id);
                choose_kernel(c, device);
                if (c.status == Status::ok) check_memory(c, device, available_bytes);
                plan.push_back(std::move(c));
            }
    return plan;
}

}  // namespace attnroof
