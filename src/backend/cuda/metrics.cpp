#include "backend/cuda/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace attnroof::cuda {
namespace {

using Terms = std::vector<MetricTerm>;

/// The ways to get one counter, best first. A way counts only when the chip has all of its terms:
/// a part of the sum would pass for the whole.
struct MetricRow {
    Counter counter;
    std::vector<Terms> ways;
};

MetricTerm thread_instructions(std::string_view op, double scale = 1) {
    return {fmt::format("smsp__sass_thread_inst_executed_op_{}_pred_on", op), scale};
}

std::vector<MetricRow> metric_rows() {
    const std::string tensor = "sm__ops_path_tensor_src_";
    return {
        // GB20x renamed the pair.
        {Counter::hbm_read_bytes, {{{"dram__bytes_read"}}, {{"dram__bytes_op_read"}}}},
        {Counter::hbm_write_bytes, {{{"dram__bytes_write"}}, {{"dram__bytes_op_write"}}}},
        // Sectors of 32 bytes between the SMs and L2. lts__t_bytes would add the fills from memory
        // and the traffic between the two halves of a divided L2.
        {Counter::l2_bytes, {{{"lts__t_sectors_srcunit_tex", 32}}}},
        // Wavefronts of the data stage of L1 and shared memory, at most 128 bytes each, with those
        // that feed tensor instructions: a part of the LSU's on GH100, a path of their own on
        // GB10x. What TMA writes into shared memory is in neither.
        {Counter::l1_bytes,
         {{{"l1tex__data_pipe_lsu_wavefronts", 128}, {"l1tex__data_pipe_tc_wavefronts", 128}},
          {{"l1tex__data_pipe_lsu_wavefronts", 128}}}},
        {Counter::tensor_bf16_flops, {{{tensor + "bf16_dst_fp32"}}}},
        // One metric on GH100; elsewhere one for each accumulator type.
        {Counter::tensor_fp16_flops,
         {{{tensor + "fp16"}}, {{tensor + "fp16_dst_fp32"}, {tensor + "fp16_dst_fp16"}}}},
        // GB10x can issue two fp32 operations as one packed instruction.
        {Counter::ffma,
         {{thread_instructions("ffma"), thread_instructions("ffma2", 2)},
          {thread_instructions("ffma")}}},
        {Counter::fadd,
         {{thread_instructions("fadd"), thread_instructions("fadd2", 2)},
          {thread_instructions("fadd")}}},
        {Counter::fmul,
         {{thread_instructions("fmul"), thread_instructions("fmul2", 2)},
          {thread_instructions("fmul")}}},
        // Counted once for each packed instruction, as measured on GH100. Compilers also use HFMA2
        // to load constants, so a few are never arithmetic.
        {Counter::hfma, {{thread_instructions("hfma")}}},
        {Counter::hadd, {{thread_instructions("hadd")}}},
        {Counter::hmul, {{thread_instructions("hmul")}}},
        // The second way counts all 32 threads of a warp, active or not.
        {Counter::xu_threads,
         {{{"smsp__thread_inst_executed_pipe_xu_pred_on"}}, {{"smsp__inst_executed_pipe_xu", 32}}}},
    };
}

std::optional<std::string> first_missing(const Terms& way, const std::set<std::string>& metrics) {
    for (const MetricTerm& term : way)
        if (!metrics.contains(term.name)) return term.name;
    return std::nullopt;
}

ResolvedCounter resolve(const MetricRow& row, std::string_view chip,
                        const std::set<std::string>& metrics) {
    std::string lacking;
    for (const Terms& way : row.ways) {
        const std::optional<std::string> missing = first_missing(way, metrics);
        if (!missing) return {row.counter, way, ""};
        lacking += (lacking.empty() ? "" : ", ") + *missing;
    }
    return {row.counter, {}, fmt::format("not available on {}: it lacks {}", chip, lacking)};
}

}  // namespace

std::vector<ResolvedCounter> resolve_counters(std::string_view chip,
                                              const std::set<std::string>& base_metrics) {
    std::vector<ResolvedCounter> resolved;
    for (const MetricRow& row : metric_rows()) resolved.push_back(resolve(row, chip, base_metrics));
    return resolved;
}

std::vector<ResolvedCounter> of_group(const std::vector<ResolvedCounter>& counters,
                                      CounterGroup group) {
    std::vector<ResolvedCounter> chosen;
    for (const ResolvedCounter& counter : counters)
        if (info_of(counter.counter).group == group) chosen.push_back(counter);
    return chosen;
}

std::string metric_name(const MetricTerm& term) { return term.name + ".sum"; }

std::vector<std::string> metric_names(const std::vector<ResolvedCounter>& counters) {
    std::vector<std::string> names;
    for (const ResolvedCounter& counter : counters)
        for (const MetricTerm& term : counter.terms) {
            const std::string name = metric_name(term);
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
        }
    return names;
}

}  // namespace attnroof::cuda
