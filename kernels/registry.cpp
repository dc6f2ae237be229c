#include "kernels/registry.h"

#include <algorithm>

#include "kernels/rows.h"

namespace attnroof {

Traffic modelled_traffic(const KernelRow& row, const AttentionProblem& problem,
                         std::int64_t cache_bytes) {
    Traffic total;
    for (const KernelStep& step : row.steps) total += step.traffic(problem, cache_bytes);
    return total;
}

const std::vector<KernelRow>& kernel_registry() {
    static const std::vector<KernelRow> rows = [] {
        std::vector<KernelRow> all = cuda_kernel_rows();
        for (KernelRow& row : cpu_kernel_rows()) all.push_back(std::move(row));
        return all;
    }();
    return rows;
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const KernelRow& row : kernel_registry())
        if (std::find(names.begin(), names.end(), row.name) == names.end())
            names.push_back(row.name);
    return names;
}

}  // namespace attnroof
