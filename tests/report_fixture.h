// Synthetic reports for the tests of the formats. The figures are plausible, not measured.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/model.h"
#include "report/report.h"

namespace attnroof::fixture {

inline Ceiling ceiling(const std::string& id, double value, const std::string& unit,
                       CeilingMode mode = CeilingMode::burst) {
    Ceiling c;
    c.id = id;
    c.value = value;
    c.unit = unit;
    c.mode = mode;
    c.spread = 0.004;
    c.samples = 20;
    c.clock_mhz = mode == CeilingMode::burst ? 1980 : 1395;
    return c;
}

inline Report empty_gpu_report() {
    Report r;
    r.complete = true;
    r.tool = {"0.1.0", "0123456789ab", false, "13.0", "13.0", "GNU 12.2.0"};
    r.command = {"attnroof", "sweep", "-o", "report.json"};
    r.started_at = "2026-11-29T12:00:00Z";
    r.duration_s = 12.5;
    r.host = {{"name", "node1"}, {"os", "Linux 6.1"}, {"cpu", "AMD EPYC"}};
    DeviceFacts& d = r.device;
    d.kind = DeviceKind::cuda;
    d.name = "NVIDIA H200";
    d.uuid = "GPU-00000000-1111-2222-3333-444444444444";
    d.chip = "GH100";
    d.compute_capability = 90;
    d.sm_count = 132;
    d.cache_bytes = 62914560;
    d.memory_bytes = 150121545728;
    d.driver_version = 13000;
    d.driver = "580.159.04";
    d.sm_clock_max_mhz = 1980;
    d.power_limit_w = 700;
    d.ecc = true;
    d.mig = false;
    r.config.seq_lens = {1024, 4096};
    r.config.head_dims = {128};
    r.ceilings = {ceiling("hbm.read", 4.42e12, "byte/s"),
                  ceiling("hbm.write", 4.31e12, "byte/s"),
                  ceiling("hbm.copy", 4.28e12, "byte/s"),
                  ceiling("l2.read", 8.4e12, "byte/s"),
                  ceiling("tensor.bf16", 792e12, "FLOP/s"),
                  ceiling("tensor.bf16", 668e12, "FLOP/s", CeilingMode::sustained),
                  ceiling("tensor.fp16", 742e12, "FLOP/s"),
                  ceiling("fma.fp32", 62.4e12, "FLOP/s"),
                  ceiling("exp", 4.17e12, "op/s"),
                  ceiling("launch", 2.1e-6, "s")};
    return r;
}

inline AttentionProblem problem(std::int64_t n, std::int64_t d, Mask mask, DType dtype) {
    AttentionProblem p;
    p.dtype = dtype;
    p.mask = mask;
    p.batch = std::max<std::int64_t>(1, 16384 / n);
    p.heads = p.kv_heads = 2048 / d;
    p.q_len = p.kv_len = n;
    p.head_dim = d;
    return p;
}

/// Bytes as the two algorithms move them: naive writes S and P and reads both, fused neither.
inline Traffic traffic(const std::string& kernel, const AttentionProblem& p) {
    const std::int64_t scores = kernel == "naive" ? score_bytes(p, bytes_of(p.dtype)) : 0;
    return {q_bytes(p) + 2 * kv_bytes(p) + 2 * scores, q_bytes(p) + lse_bytes(p) + 2 * scores};
}

/// Places a point under hbm.copy and the first compute roof; enough for drawing.
inline Point point(const CaseResult& c, double bandwidth, double compute, bool cuda) {
    Point p;
    p.flops = c.useful_flops;
    p.hbm_bytes = static_cast<double>(c.modelled.total());
    p.bytes_kind = "model";
    p.intensity_flop_per_byte = p.flops / p.hbm_bytes;
    p.achieved_flops_per_s = p.flops / c.time->median_s;
    p.achieved_bytes_per_s = p.hbm_bytes / c.time->median_s;
    const bool memory = p.intensity_flop_per_byte * bandwidth < compute;
    p.ceiling = memory ? (cuda ? "hbm.copy" : "dram.copy") : (cuda ? "tensor.bf16" : "fma.fp32");
    p.attainable_flops_per_s = std::min(compute, p.intensity_flop_per_byte * bandwidth);
    p.attainable_s = p.flops / p.attainable_flops_per_s;
    p.fraction_of_roof = p.achieved_flops_per_s / p.attainable_flops_per_s;
    p.bound = memory ? Bound::memory : Bound::compute;
    return p;
}

inline CounterValue counted(double value, const std::string& metric) { return {value, metric, ""}; }

inline void count(CaseResult& c) {
    const auto read = static_cast<double>(c.modelled.read_bytes);
    const auto write = static_cast<double>(c.modelled.write_bytes);
    for (const CounterInfo& info : counter_table())
        c.counted.in_range[info.counter] = counted(0, std::string("sm__") + info.name + ".sum");
    c.counted.in_range[Counter::hbm_read_bytes] = counted(read, "dram__bytes_read.sum");
    c.counted.in_range[Counter::hbm_write_bytes] = counted(0.25 * write, "dram__bytes_write.sum");
    c.counted.in_range[Counter::tensor_bf16_flops] =
        counted(1.02 * c.useful_flops, "sm__ops_path_tensor_src_bf16_dst_fp32.sum");
    c.counted.in_range[Counter::l2_bytes] = {std::nullopt, "", "GH100 has no such metric"};
    c.counted.settled[Counter::hbm_read_bytes] = counted(read, "dram__bytes_read.sum");
    c.counted.settled[Counter::hbm_write_bytes] = counted(write, "dram__bytes_write.sum");
    c.counted.passes = 4;
    c.point->bytes_source = Source::counted;
    c.point->bytes_kind = "settled";
}

/// An ok case that reaches `fraction` of its roof.
inline CaseResult measured(const std::string& kernel, const AttentionProblem& p, double fraction,
                           double bandwidth, double compute, bool cuda = true) {
    CaseResult c;
    c.plan.asked = {kernel, ""};
    c.variant = !cuda ? "cpu" : kernel == "naive" ? "sm80" : "sm90";
    c.plan.problem = p;
    std::string id = describe(p);
    c.plan.id = id.insert(id.find('/'), "/" + kernel) + "/cold";
    c.useful_flops = useful_flops(p);
    c.modelled = traffic(kernel, p);
    c.footprint_bytes = operand_bytes(p);
    const double bytes = static_cast<double>(c.modelled.total());
    const double roof_s = std::max(bytes / bandwidth, c.useful_flops / compute);
    TimeStats t;
    t.median_s = roof_s / fraction;
    t.min_s = 0.99 * t.median_s;
    t.ci95_low_s = 0.996 * t.median_s;
    t.ci95_high_s = 1.004 * t.median_s;
    for (double f : {1.0, 0.99, 1.01, 0.995, 1.005}) t.samples_s.push_back(f * t.median_s);
    if (cuda) t.clocks.sm_clock_mhz = 1980;
    if (cuda) t.clocks.throttled = false;
    c.time = t;
    c.check = CheckResult{.max_abs_error = 0.0012,
                          .tolerance = 0.01,
                          .worst_ratio = 0.12,
                          .lse_max_abs_error = 1e-5,
                          .rows = 18,
                          .unwritten = 0};
    c.point = point(c, bandwidth, compute, cuda);
    return c;
}

/// Throttled while it was timed: held against the sustained compute roof that binds it.
inline void throttle(CaseResult& c, double sustained) {
    c.time->clocks.throttled = true;
    c.point->ceiling_mode = CeilingMode::sustained;
    c.point->attainable_flops_per_s = sustained;
    c.point->attainable_s = c.point->flops / sustained;
    c.point->fraction_of_roof = c.point->achieved_flops_per_s / sustained;
}

inline CaseResult not_ok(const std::string& kernel, const AttentionProblem& p, Status status,
                         const std::string& reason) {
    CaseResult c = measured(kernel, p, 0.5, 4.28e12, 792e12);
    c.plan.status = status;
    c.plan.reason = reason;
    c.time.reset();
    c.point.reset();
    c.check.reset();
    return c;
}

/// A sweep over N, d and mask on a GPU, all counted.
inline Report gpu_report(std::vector<std::int64_t> lengths = {512, 1024, 2048, 4096, 8192, 16384},
                         std::vector<std::int64_t> dims = {64, 128},
                         std::vector<Mask> masks = {Mask::full, Mask::causal}) {
    Report r = empty_gpu_report();
    r.config.seq_lens = lengths;
    r.config.head_dims = dims;
    r.config.masks = masks;
    r.config.tokens = 16384;
    r.config.hidden = 2048;
    for (Mask mask : masks)
        for (std::int64_t d : dims)
            for (std::int64_t n : lengths) {
                const AttentionProblem p = problem(n, d, mask, DType::bf16);
                const double grow = 1 - 180.0 / static_cast<double>(n + 180);
                const double naive = (mask == Mask::full ? 0.86 : 0.8) * (0.85 + 0.15 * grow);
                const double fused =
                    (mask == Mask::full ? 0.72 : 0.62) * (d == 64 ? 0.8 : 1) * (0.5 + 0.5 * grow);
                r.cases.push_back(measured("naive", p, naive, 4.28e12, 792e12));
                r.cases.push_back(measured("fused", p, fused, 4.28e12, 792e12));
            }
    for (CaseResult& c : r.cases) count(c);
    return r;
}

/// Every kind of case in a few rows; the golden files are made from it.
inline Report small_report() {
    Report r = gpu_report({1024, 4096}, {128}, {Mask::full});
    CaseResult& throttled = r.cases.back();
    throttle(throttled, 668e12);
    throttled.time->clocks.throttle_reasons = 4;
    throttled.warnings = {"timed while the device was throttled"};
    CaseResult& uncounted = r.cases[1];
    uncounted.counted = {};
    uncounted.point->bytes_source = Source::modelled;
    uncounted.point->bytes_kind = "model";
    CaseResult& naive = r.cases[2];
    naive.counted.steps = {{"scores",
                            {{Counter::hbm_read_bytes, counted(1.34e8, "dram__bytes_read.sum")}},
                            {1, 2},
                            1.1e-3},
                           {"softmax",
                            {{Counter::hbm_read_bytes, {std::nullopt, "", "not on this chip"}}},
                            {3, 4},
                            std::nullopt}};
    naive.allocated_bytes = 2147483648;
    const AttentionProblem large = problem(1 << 20, 128, Mask::full, DType::bf16);
    r.cases.push_back(
        not_ok("naive", large, Status::skipped, "needs 35.2 TB, 148 GB can be allocated"));
    r.cases.push_back(not_ok("fused", large, Status::wrong, "O differs, \"0.3\" > 0.01"));
    r.cases.push_back(not_ok("fused", problem(1024, 128, Mask::full, DType::fp32),
                             Status::unsupported,
                             "needs dtype fp16 or bf16 (tensor cores), got fp32"));
    r.cases.back().variant.clear();
    r.selftest.results = {{.job = "read",
                           .counter = Counter::hbm_read_bytes,
                           .expected = 67108864,
                           .counted = counted(67109312, "dram__bytes_read.sum"),
                           .error = 6.7e-6},
                          {.job = "copy",
                           .counter = Counter::l2_bytes,
                           .expected = 134217728,
                           .counted = counted(268435456, "32 * lts__t_sectors_srcunit_tex.sum"),
                           .error = 1.0},
                          {.job = "hadd",
                           .counter = Counter::hadd,
                           .expected = 69206016,
                           .counted = {std::nullopt, "", "not on this chip"},
                           .error = {}}};
    r.findings = {{"hbm_exponent.naive", "naive moves O(N^1.9) bytes", 1.9, ""},
                  {"crossover", "fused wins from N = 1024 on", 1024, "token"}};
    return r;
}

/// The small report of a sweep with --no-ceilings.
inline Report unroofed_report() {
    Report r = small_report();
    r.ceilings.clear();
    for (CaseResult& c : r.cases)
        if (c.point)
            c.point = place_point({.problem = c.plan.problem,
                                   .flops = c.useful_flops,
                                   .traffic = c.modelled,
                                   .traffic_source = c.point->bytes_source,
                                   .traffic_kind = c.point->bytes_kind,
                                   .seconds = c.time->median_s},
                                  {});
    return r;
}

/// A desktop CPU: no counters, no tensor roof.
inline Report cpu_report() {
    Report r = empty_gpu_report();
    r.device = {};
    r.device.name = "AMD Ryzen 7 5800X 8-Core Processor";
    r.device.chip = "avx2";
    r.device.sm_count = 8;
    r.device.cache_bytes = 33554432;
    r.device.memory_bytes = 68719476736;
    r.ceilings = {ceiling("dram.read", 41.2e9, "byte/s"), ceiling("dram.copy", 36.8e9, "byte/s"),
                  ceiling("fma.fp32", 912e9, "FLOP/s"), ceiling("launch", 4e-6, "s")};
    for (Ceiling& c : r.ceilings) c.clock_mhz.reset();
    r.config.seq_lens = {256, 512, 1024, 2048};
    r.config.head_dims = {64};
    r.config.dtypes = {DType::fp32};
    r.counters_closed_gate = "this CPU backend has no memory counters";
    r.counters_remedy = "bytes are those of the model";
    for (std::int64_t n : r.config.seq_lens) {
        AttentionProblem p = problem(n, 64, Mask::full, DType::fp32);
        p.batch = 1;
        p.heads = p.kv_heads = 4;
        r.cases.push_back(measured("naive", p, 0.41, 36.8e9, 912e9, false));
        r.cases.push_back(measured("fused", p, 0.55, 36.8e9, 912e9, false));
    }
    return r;
}

}  // namespace attnroof::fixture
