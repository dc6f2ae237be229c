// The report as JSON, schema_version 1. Units stand in key names. A number that is not there is
// null, and its reason stands under the same key in the object's "missing" (for a counter in its
// own "reason").
#include <cmath>
#include <cstdint>

#include "kernels/model.h"
#include "report/formats.h"
#include "report/json_config.h"
#include "report/json_layout.h"
#include "report/memory_levels.h"
#include "report/schema.h"

namespace attnroof {
namespace {

using Json = nlohmann::ordered_json;

constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53
constexpr const char* not_finite = "not a finite number";

/// Counts are written without a fraction: 68719476736, not 68719476736.0.
Json number(double value) {
    if (!std::isfinite(value)) return nullptr;
    if (value == std::trunc(value) && std::abs(value) <= largest_exact_integer)
        return static_cast<std::int64_t>(value);
    return value;
}

/// An object whose nulls are explained.
class Block {
  public:
    Block& set(const char* key, Json value) {
        object_[key] = std::move(value);
        return *this;
    }
    Block& number(const char* key, std::optional<double> value, const std::string& why = "") {
        if (value && std::isfinite(*value)) return set(key, attnroof::number(*value));
        return missing(key, value ? not_finite : why);
    }
    Block& text(const char* key, const std::string& value, const std::string& why) {
        return value.empty() ? missing(key, why) : set(key, value);
    }
    template <class T>
    Block& value(const char* key, const std::optional<T>& value, const std::string& why) {
        return value ? set(key, *value) : missing(key, why);
    }
    Block& missing(const char* key, const std::string& why) {
        missing_[key] = why;
        return set(key, nullptr);
    }
    Json done() {
        if (!missing_.empty()) object_["missing"] = missing_;
        return object_;
    }

  private:
    Json object_ = Json::object(), missing_ = Json::object();
};

Json tool_json(const ToolFacts& tool) {
    return Block()
        .set("name", "attnroof")
        .set("version", tool.version)
        .text("git_sha", tool.git_sha, "not built from a git checkout")
        .set("git_dirty", tool.git_dirty)
        .text("cuda", tool.cuda, "built without CUDA")
        .text("cupti", tool.cupti, "no CUPTI library was loaded")
        .text("compiler", tool.compiler, "unknown")
        .done();
}

Json capability(int compute_capability) {
    return std::to_string(compute_capability / 10) + "." + std::to_string(compute_capability % 10);
}

Json device_json(const DeviceFacts& d) {
    const std::string why = "the device does not report it";
    const bool gpu = d.kind == DeviceKind::cuda;
    Block block;
    block.set("kind", name(d.kind))
        .set("name", d.name)
        .text("uuid", d.uuid, gpu ? why : "a CPU has none")
        .text("chip", d.chip, why);
    if (d.compute_capability > 0)
        block.set("compute_capability", capability(d.compute_capability));
    else
        block.missing("compute_capability", "a CPU has none");
    const auto count = [&](const char* key, std::int64_t value) {
        if (value > 0)
            block.set(key, value);
        else
            block.missing(key, why);
    };
    count("sm_count", d.sm_count);
    // The last-level cache, under the name of its level.
    if (!gpu) block.missing("l2_bytes", "the last level is L3");
    count(gpu ? "l2_bytes" : "l3_bytes", d.cache_bytes);
    count("memory_bytes", d.memory_bytes);
    return block.value("driver", d.driver, gpu ? why : "a CPU has none")
        .value("cuda_driver_version", d.driver_version, gpu ? why : "a CPU has none")
        .set("clocks", Block()
                           .number("sm_max_mhz", d.sm_clock_max_mhz, why)
                           .number("memory_max_mhz", d.memory_clock_max_mhz, why)
                           .done())
        .number("power_limit_w", d.power_limit_w, why)
        .value("ecc", d.ecc, why)
        .value("mig", d.mig, gpu ? why : "a CPU has none")
        .done();
}

Json ceiling_json(const Ceiling& c) {
    return Block()
        .set("id", c.id)
        .number("value", c.value)
        .set("unit", c.unit)
        .set("source", name(c.source))
        .set("mode", name(c.mode))
        .number("spread", c.spread)
        .set("samples", c.samples)
        .number("clock_mhz", c.clock_mhz, "no clock could be read")
        .number("power_w", c.power_w, "no power could be read")
        .done();
}

Json problem_json(const AttentionProblem& p) {
    return {{"pass", name(p.pass)}, {"dtype", name(p.dtype)}, {"mask", name(p.mask)},
            {"batch", p.batch},     {"heads", p.heads},       {"kv_heads", p.kv_heads},
            {"q_len", p.q_len},     {"kv_len", p.kv_len},     {"head_dim", p.head_dim}};
}

Json kernel_json(const CaseResult& result) {
    return Block()
        .set("name", result.plan.asked.name)
        .text("variant", variant_of(result), "no variant could run it")
        .done();
}

Json time_json(const TimeStats& t) {
    const std::string why = "the device does not report it";
    Json samples = Json::array();
    for (double s : t.samples_s) samples.push_back(number(s));
    return Block()
        .set("source", "measured")
        .number("median_s", t.median_s)
        .number("min_s", t.min_s)
        .set("ci95_s", {number(t.ci95_low_s), number(t.ci95_high_s)})
        .set("samples_s", std::move(samples))
        .number("sm_clock_mhz", t.clocks.sm_clock_mhz, why)
        .number("power_w", t.clocks.power_w, why)
        .number("temperature_c", t.clocks.temperature_c, why)
        .value("throttle_reasons", t.clocks.throttle_reasons, why)
        .value("throttled", t.clocks.throttled, why)
        .done();
}

Json counter_json(const CounterInfo& info, const CounterValue& counter, int passes) {
    if (counter.value && std::isfinite(*counter.value))
        return {{"value", number(*counter.value)},
                {"unit", info.unit},
                {"source", name(Source::counted)},
                {"metric", counter.metric},
                {"passes", passes}};
    return {{"value", nullptr}, {"reason", counter.value ? not_finite : counter.reason}};
}

/// Adds every counter of the table that `set` holds, each name with `prefix` before it.
void add_counters(Json& to, const std::string& prefix, const CounterSet& set, int passes) {
    for (const CounterInfo& info : counter_table())
        if (const auto found = set.find(info.counter); found != set.end())
            to[prefix + info.name] = counter_json(info, found->second, passes);
}

Json counters_json(const CaseResult& result, const Report& report) {
    Json counters = Json::object();
    const CaseCounters& counted = result.counted;
    add_counters(counters, "", counted.in_range, counted.passes);
    add_counters(counters, settled_prefix, counted.settled, counted.passes);
    if (counters.empty())
        for (const CounterInfo& info : counter_table())
            counters[info.name] = {{"value", nullptr},
                                   {"reason", uncounted_reason(result, report)}};
    return counters;
}

Json steps_json(const CaseCounters& counted) {
    Json steps = Json::array();
    for (const StepCounters& step : counted.steps) {
        Json counters = Json::object();
        add_counters(counters, "", step.counters, counted.passes);
        steps.push_back({{"name", step.name},
                         {"time", Block()
                                      .set("source", name(Source::measured))
                                      .number("median_s", step.median_s, "not timed on its own")
                                      .done()},
                         {"counters", std::move(counters)},
                         {"model",
                          {{"source", name(Source::modelled)},
                           {"hbm_read_bytes", step.modelled.read_bytes},
                           {"hbm_write_bytes", step.modelled.write_bytes}}}});
    }
    return steps;
}

Json model_json(const CaseResult& result) {
    return Block()
        .set("source", name(Source::modelled))
        .number("useful_flops", result.useful_flops)
        .set("hbm_bytes", result.modelled.total())
        .set("hbm_read_bytes", result.modelled.read_bytes)
        .set("hbm_write_bytes", result.modelled.write_bytes)
        .set("footprint_bytes", result.footprint_bytes)
        .done();
}

Json executed_json(const CaseResult& result) {
    const std::optional<double> flops = result.counted.executed_flops();
    const std::string why = "not every FLOP counter has a value";
    return Block()
        .set("source", name(Source::counted))
        .number("flops", flops, why)
        .number("useful_per_executed",
                flops && *flops > 0 ? std::optional(result.useful_flops / *flops) : std::nullopt,
                flops ? "no FLOP was executed" : why)
        .done();
}

Json roofline_json(const Point& p) {
    const char *unmeasured = "no time was measured", *no_roof = "no ceiling to hold it against";
    const bool roof = !p.ceiling.empty();
    const auto known = [](double value) {
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    };
    return Block()
        .number("flops", p.flops)
        .set("flops_source", name(Source::modelled))
        .number("hbm_bytes", p.hbm_bytes)
        .set("bytes_source", name(p.bytes_source))
        .set("bytes_kind", p.bytes_kind)
        .number("intensity_flop_per_byte", p.intensity_flop_per_byte)
        .number("achieved_flops_per_s", known(p.achieved_flops_per_s), unmeasured)
        .number("achieved_bytes_per_s", known(p.achieved_bytes_per_s), unmeasured)
        .text("ceiling", p.ceiling, no_roof)
        .text("ceiling_mode", roof ? name(p.ceiling_mode) : "", no_roof)
        .number("attainable_flops_per_s", known(p.attainable_flops_per_s), no_roof)
        .number("attainable_s", known(p.attainable_s), no_roof)
        .number("fraction_of_roof", known(p.fraction_of_roof), roof ? unmeasured : no_roof)
        .text("bound", name(p.bound), no_roof)
        .done();
}

/// One level of memory; flops and achieved FLOP/s are those of the roofline beside it.
Json level_json(const Point& p) {
    Json all = roofline_json(p), level = {{"bytes", all["hbm_bytes"]}};
    for (const char* key :
         {"bytes_source", "bytes_kind", "intensity_flop_per_byte", "achieved_bytes_per_s",
          "ceiling", "ceiling_mode", "attainable_flops_per_s", "fraction_of_roof", "bound"})
        level[key] = all[key];
    const Json missing = all.value("missing", Json::object());
    for (const auto& [key, why] : missing.items())
        if (level.contains(key)) level["missing"][key] = why;
    return level;
}

/// Each level that was asked for, by its name, or null with the reason.
Json levels_json(const CaseResult& result, const Report& report) {
    Block block;
    for (Level level : levels_of(report.config)) {
        const LevelPoint at = level_point(report, result, level);
        if (at.point)
            block.set(name(level), level_json(*at.point));
        else
            block.missing(name(level), at.reason);
    }
    return block.done();
}

Json check_json(const CheckResult& c) {
    return Block()
        .number("max_abs_error", c.max_abs_error)
        .number("tolerance", c.tolerance)
        .number("worst_ratio", c.worst_ratio)
        .number("lse_max_abs_error", c.lse_max_abs_error)
        .set("rows", c.rows)
        .set("unwritten", c.unwritten)
        .done();
}

Json case_json(const CaseResult& result, const Report& report) {
    const Case& plan = result.plan;
    const bool ok = plan.status == Status::ok;
    const auto why = [&](const char* reason) { return ok ? reason : plan.reason; };
    Block block;
    block.set("id", plan.id)
        .set("problem", problem_json(plan.problem))
        .set("kernel", kernel_json(result))
        .set("cache", name(plan.cache))
        .set("status", name(plan.status))
        .set("reason", plan.reason.empty() ? Json() : Json(plan.reason));
    if (result.time)
        block.set("time", time_json(*result.time));
    else
        block.missing("time", why(report.prediction ? "predicted, not timed" : "not timed"));
    block.set(
        "memory",
        Block()
            .set("source", name(report.prediction ? Source::modelled : Source::measured))
            .value("allocated_bytes", result.allocated_bytes,
                   why(report.prediction
                           ? "predicted, not allocated"
                           : "it lies in memory taken for a larger case, or the device does not "
                             "tell"))
            .done());
    block.set("counters", counters_json(result, report));
    if (!result.counted.steps.empty()) block.set("steps", steps_json(result.counted));
    block.set("model", model_json(result)).set("executed", executed_json(result));
    if (result.point)
        block.set("roofline", roofline_json(*result.point));
    else
        block.missing("roofline", why("without a time, FLOPs and bytes"));
    block.set("levels", levels_json(result, report));
    if (result.check)
        block.set("check", check_json(*result.check));
    else
        block.missing("check", why("not checked"));
    return block.set("warnings", result.warnings).done();
}

Json calibration_json(const CalibrationResult& r) {
    return Block()
        .set("counter", name(r.counter))
        .set("job", r.job)
        .number("expected", r.expected)
        .number("counted", r.counted.value, r.counted.reason)
        .number("relative_error", r.error, r.counted.reason)
        .set("metric", r.counted.metric)
        .set("passed", r.passed())
        .done();
}

Json finding_json(const Finding& f) {
    Block block;
    block.set("id", f.id).set("text", f.text).number("value", f.value).set("unit", f.unit);
    if (f.interval) block.set("interval", {number(f.interval->low), number(f.interval->high)});
    return block.done();
}

template <class T, class Function>
Json array_of(const std::vector<T>& items, Function&& to) {
    Json array = Json::array();
    for (const T& item : items) array.push_back(to(item));
    return array;
}

Json selftest_block(const SelfTest& test) {
    return {{"tolerance", selftest_tolerance},
            {"reason", test.reason.empty() ? Json() : Json(test.reason)},
            {"results", array_of(test.results, calibration_json)}};
}

}  // namespace

std::string selftest_json(const SelfTest& test) { return layout(selftest_block(test)); }

std::string to_json(const Report& report) {
    const std::string& gate = report.counters_closed_gate;
    const Json json = {
        {"schema_version", schema_version},
        {"complete", report.complete},
        {"tool", tool_json(report.tool)},
        {"command", report.command},
        {"started_at", report.started_at},
        {"duration_s", number(report.duration_s)},
        {"host", report.host},
        {"device", device_json(report.device)},
        {"config", config_json(report.config)},
        {"counters",
         {{"closed_gate", gate.empty() ? Json() : Json(gate)},
          {"remedy", gate.empty() ? Json() : Json(report.counters_remedy)}}},
        {"selftest", selftest_block(report.selftest)},
        {"ceilings", array_of(report.ceilings, ceiling_json)},
        {"cases",
         array_of(report.cases, [&](const CaseResult& c) { return case_json(c, report); })},
        {"findings", array_of(report.findings, finding_json)},
    };
    if (!report.prediction) return layout(json);
    Json predicted = json;
    predicted["prediction"] = {{"source", name(Source::modelled)},
                               {"ceilings_from", *report.prediction}};
    return layout(predicted);
}

}  // namespace attnroof
