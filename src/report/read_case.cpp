#include "report/read_case.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "config/words.h"
#include "kernels/registry.h"
#include "plan/problems.h"
#include "report/schema.h"

namespace attnroof {
namespace {

using Node = JsonNode;

/// A block's numbers are all of one kind: times measured, a model modelled.
void expect_source(const Node& block, const char* key, Source expected) {
    const Source given = block.at(key).word<Source>(source_names);
    if (given != expected)
        block.at(key).fail(
            fmt::format("expected \"{}\" here, got \"{}\"", name(expected), name(given)));
}

std::int64_t read_size(const Node& node, const char* key) {
    const std::int64_t size = node.at(key).integer();
    if (size < 1) node.at(key).fail("expected at least 1, got " + std::to_string(size));
    return size;
}

AttentionProblem read_problem(const Node& node) {
    AttentionProblem p;
    p.pass = node.at("pass").word<Pass>(pass_names);
    p.dtype = node.at("dtype").word<DType>(dtype_names);
    p.mask = node.at("mask").word<Mask>(mask_names);
    p.batch = read_size(node, "batch");
    p.heads = read_size(node, "heads");
    p.kv_heads = read_size(node, "kv_heads");
    p.q_len = read_size(node, "q_len");
    p.kv_len = read_size(node, "kv_len");
    p.head_dim = read_size(node, "head_dim");
    if (!sizes_fit(p)) node.fail("is too large: its sizes in bytes do not fit in 64 bits");
    return p;
}

/// A kernel's name or variant. Nothing else: it stands in commands that compare prints.
std::string kernel_word(const Node& node) {
    const std::string word = node.text();
    const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
    if (word.empty() || !std::all_of(word.begin(), word.end(), allowed))
        node.fail("expected letters, digits and _, got " + in_quotes(word));
    return word;
}

const KernelRow* find_kernel(const std::string& name, const std::string& variant) {
    for (const KernelRow& row : kernel_registry())
        if (row.name == name && row.variant == variant) return &row;
    return nullptr;
}

/// The plan of a case. A variant that was asked for by name stands in the id: forward/fused:sm80/.
Case read_plan(const Node& node, const std::string& variant) {
    Case plan;
    plan.id = node.at("id").text();
    plan.problem = read_problem(node.at("problem"));
    plan.asked.name = kernel_word(node.at("kernel").at("name"));
    if (plan.id.find("/" + plan.asked.name + ":" + variant + "/") != std::string::npos)
        plan.asked.variant = variant;
    plan.kernel = find_kernel(plan.asked.name, variant);
    plan.cache = node.at("cache").word<CacheMode>(cache_mode_names);
    plan.status = node.at("status").word<Status>(status_names);
    plan.reason = text_or_empty(node, "reason");
    return plan;
}

/// True when both are known and differ by more than the last digits of a decimal text.
bool differ(double a, double b) { return std::abs(a - b) > 1e-9 * std::max(a, b); }

/// Median, minimum and interval are those of the samples, as far as all are numbers.
void check_samples(const Node& node, const TimeStats& t) {
    const auto known = [](double s) { return std::isfinite(s); };
    if (!std::all_of(t.samples_s.begin(), t.samples_s.end(), known)) return;
    if (t.samples_s.empty()) node.at("samples_s").fail("holds no sample");
    const TimeStats true_stats = summarize(t.samples_s);
    if (differ(t.median_s, true_stats.median_s))
        node.at("median_s")
            .fail(fmt::format("{} is not the median of samples_s, which is {}", t.median_s,
                              true_stats.median_s));
    if (differ(t.min_s, true_stats.min_s))
        node.at("min_s").fail(fmt::format("{} is not the least of samples_s, which is {}", t.min_s,
                                          true_stats.min_s));
    if (t.ci95_low_s > t.median_s || t.ci95_high_s < t.median_s)
        node.at("ci95_s").fail(fmt::format("{} to {} does not hold the median {}", t.ci95_low_s,
                                           t.ci95_high_s, t.median_s));
}

TimeStats read_time(const Node& node) {
    TimeStats t;
    expect_source(node, "source", Source::measured);
    t.median_s = node.at("median_s").positive();
    t.min_s = node.at("min_s").positive();
    const std::vector<Node> interval = node.at("ci95_s").items();
    if (interval.size() != 2) node.at("ci95_s").fail("expected two numbers");
    t.ci95_low_s = interval[0].positive();
    t.ci95_high_s = interval[1].positive();
    for (const Node& sample : node.at("samples_s").items())
        t.samples_s.push_back(sample.positive());
    check_samples(node, t);
    t.clocks.sm_clock_mhz = optional_amount(node, "sm_clock_mhz");
    t.clocks.power_w = optional_amount(node, "power_w");
    t.clocks.temperature_c = optional_number(node, "temperature_c");
    if (node.has("throttle_reasons"))
        t.clocks.throttle_reasons = node.at("throttle_reasons").unsigned_integer();
    t.clocks.throttled = optional_boolean(node, "throttled");
    return t;
}

/// One counter, or nothing when the object does not have it.
std::optional<CounterValue> read_counter(const Node& counters, const std::string& key,
                                         int& passes) {
    if (!counters.has(key.c_str())) return std::nullopt;
    const Node node = counters.at(key.c_str());
    CounterValue counter;
    counter.value = optional_amount(node, "value");
    if (counter.value) expect_source(node, "source", Source::counted);
    counter.metric = text_or_empty(node, "metric");
    counter.reason = text_or_empty(node, "reason");
    if (node.has("passes")) passes = node.at("passes").small_count();
    return counter;
}

CounterSet read_counters(const Node& node, const std::string& prefix, int& passes) {
    CounterSet set;
    for (const CounterInfo& info : counter_table())
        if (auto counter = read_counter(node, prefix + info.name, passes))
            set.emplace(info.counter, std::move(*counter));
    return set;
}

Traffic read_traffic(const Node& node) {
    expect_source(node, "source", Source::modelled);
    return {node.at("hbm_read_bytes").count(), node.at("hbm_write_bytes").count()};
}

std::optional<double> read_step_time(const Node& node) {
    expect_source(node, "source", Source::measured);
    return node.has("median_s") ? std::optional(node.at("median_s").positive()) : std::nullopt;
}

CaseCounters read_counted(const Node& node) {
    CaseCounters counted;
    counted.in_range = read_counters(node.at("counters"), "", counted.passes);
    counted.settled = read_counters(node.at("counters"), settled_prefix, counted.passes);
    if (!node.has("steps")) return counted;
    for (const Node& step : node.at("steps").items())
        counted.steps.push_back({step.at("name").text(),
                                 read_counters(step.at("counters"), "", counted.passes),
                                 read_traffic(step.at("model")), read_step_time(step.at("time"))});
    return counted;
}

Point read_point(const Node& node) {
    Point p;
    expect_source(node, "flops_source", Source::modelled);
    p.flops = node.at("flops").amount();
    p.hbm_bytes = node.at("hbm_bytes").amount();
    p.bytes_source = node.at("bytes_source").word<Source>(source_names);
    p.bytes_kind = node.at("bytes_kind").text();
    p.intensity_flop_per_byte = node.at("intensity_flop_per_byte").amount();
    p.achieved_flops_per_s = node.at("achieved_flops_per_s").amount();
    p.achieved_bytes_per_s = node.at("achieved_bytes_per_s").amount();
    p.ceiling = text_or_empty(node, "ceiling");
    if (node.has("ceiling_mode"))
        p.ceiling_mode = node.at("ceiling_mode").word<CeilingMode>(ceiling_mode_names);
    p.attainable_flops_per_s = node.at("attainable_flops_per_s").amount();
    p.fraction_of_roof = node.at("fraction_of_roof").amount();
    // Reports from before the field are read too.
    p.attainable_s = node.has("attainable_s") ? node.at("attainable_s").amount()
                                              : p.flops / p.attainable_flops_per_s;
    if (node.has("bound")) p.bound = node.at("bound").word<Bound>(bound_names);
    return p;
}

CheckResult read_check(const Node& node) {
    CheckResult c;
    c.max_abs_error = node.at("max_abs_error").amount();
    c.tolerance = node.at("tolerance").amount();
    c.worst_ratio = node.at("worst_ratio").amount();
    c.lse_max_abs_error = node.at("lse_max_abs_error").amount();
    c.rows = node.at("rows").count();
    c.unwritten = node.at("unwritten").count();
    return c;
}

/// A prediction's is modelled, and so empty.
std::optional<std::int64_t> read_allocated(const Node& node) {
    if (!node.has("allocated_bytes")) return std::nullopt;
    expect_source(node, "source", Source::measured);
    return node.at("allocated_bytes").count();
}

}  // namespace

CaseResult read_case(const Node& node) {
    CaseResult c;
    if (node.at("kernel").has("variant")) c.variant = kernel_word(node.at("kernel").at("variant"));
    c.plan = read_plan(node, c.variant);
    if (node.has("time")) c.time = read_time(node.at("time"));
    c.counted = read_counted(node);
    c.useful_flops = node.at("model").at("useful_flops").amount();
    c.modelled = read_traffic(node.at("model"));
    c.footprint_bytes = node.at("model").at("footprint_bytes").count();
    c.allocated_bytes = read_allocated(node.at("memory"));
    if (node.has("executed")) expect_source(node.at("executed"), "source", Source::counted);
    if (node.has("roofline")) c.point = read_point(node.at("roofline"));
    if (node.has("check")) c.check = read_check(node.at("check"));
    c.warnings = texts(node.at("warnings"));
    return c;
}

}  // namespace attnroof
