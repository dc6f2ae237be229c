#include "kernels/cpu/launchers.h"

#include "kernels/cpu/drivers.h"

namespace attnroof::cpu {

const std::vector<const Isa*>& usable_isas() {
    static const std::vector<const Isa*> isas = [] {
        std::vector<const Isa*> usable;
#if defined(__x86_64__) || defined(__i386__)
        // F16C, which clang cannot ask for, is older than AVX2: every CPU with that has it.
        const bool fma = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            usable.push_back(&avx512_isa());
        if (fma) usable.push_back(&avx2_isa());
#endif
        usable.push_back(&portable_isa());
        return usable;
    }();
    return isas;
}

void launch_scores(const LaunchArgs& args) { scores(args, best_isa()); }
void launch_softmax(const LaunchArgs& args) { softmax(args, best_isa()); }
void launch_output(const LaunchArgs& args) { output(args, best_isa()); }
void launch_fused(const LaunchArgs& args) { fused(args, best_isa()); }

}  // namespace attnroof::cpu
