#include "report/json_case.h"

#include "kernels/model.h"
#include "report/memory_levels.h"
#include "report/schema.h"

namespace attnroof {
namespace {

Json problem_json(const AttentionProblem& p) {
    return {{"pass", name(p.pass)}, {"dtype", name(p.dtype)}, {"mask", name(p.mask)},
            {"batch", p.batch},     {"heads", p.heads},       {"kv_heads", p.kv_heads},
            {"q_len", p.q_len},     {"kv_len", p.kv_len},     {"head_dim", p.head_dim}};
}

Json kernel_json(const CaseResult& result) {
    return JsonBlock()
        .set("name", result.plan.asked.name)
        .text("variant", variant_of(result), "no variant could run it")
        .done();
}

Json time_json(const TimeStats& t) {
    const std::string why = "the device does not report it";
    Json samples = Json::array();
    for (double s : t.samples_s) samples.push_back(json_number(s));
    return JsonBlock()
        .set("source", "measured")
        .number("median_s", t.median_s)
        .number("min_s", t.min_s)
        .set("ci95_s", {json_number(t.ci95_low_s), json_number(t.ci95_high_s)})
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
        return {{"value", json_number(*counter.value)},
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
                         {"time", JsonBlock()
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
    return JsonBlock()
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
    return JsonBlock()
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
    return JsonBlock()
        .number("flops", p.flops)
        .set("flops_source", name(Source::modelled))
        .number("hbm_bytes", p.hbm_bytes)
        .set("bytes_source", name(p.bytes_source))
        .set("bytes_kind", p.bytes_kind)
        .number("intensity_flop_per_byte", p.intensity_flop_per_byte)
        .number("achieved_flops_per_s", known(p.achieved_flops_per_s), unmeasured)
        .number("achieved_bytes_per_s", known(p.achieved_bytes_per_s), unmeasured)
        .text("ceiling", p.ceiling, no_roof)
        .text("ceiling_mode", mode_name(p), no_roof)
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
    JsonBlock block;
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
    return JsonBlock()
        .number("max_abs_error", c.max_abs_error)
        .number("tolerance", c.tolerance)
        .number("worst_ratio", c.worst_ratio)
        .number("lse_max_abs_error", c.lse_max_abs_error)
        .set("rows", c.rows)
        .set("unwritten", c.unwritten)
        .done();
}

}  // namespace

Json case_json(const CaseResult& result, const Report& report) {
    const Case& plan = result.plan;
    const bool ok = plan.status == Status::ok;
    const auto why = [&](const char* reason) { return ok ? reason : plan.reason; };
    JsonBlock block;
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
        JsonBlock()
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

}  // namespace attnroof
