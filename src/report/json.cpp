// The report as JSON, schema_version 1. Units stand in key names. A number that is not there is
// null, and its reason stands under the same key in the object's "missing" (for a counter in its
// own "reason").
#include "report/formats.h"
#include "report/json_block.h"
#include "report/json_case.h"
#include "report/json_config.h"
#include "report/json_layout.h"
#include "report/schema.h"

namespace attnroof {
namespace {

Json tool_json(const ToolFacts& tool) {
    return JsonBlock()
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
    JsonBlock block;
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
        .set("clocks", JsonBlock()
                           .number("sm_max_mhz", d.sm_clock_max_mhz, why)
                           .number("memory_max_mhz", d.memory_clock_max_mhz, why)
                           .done())
        .number("power_limit_w", d.power_limit_w, why)
        .value("ecc", d.ecc, why)
        .value("mig", d.mig, gpu ? why : "a CPU has none")
        .done();
}

Json ceiling_json(const Ceiling& c) {
    return JsonBlock()
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

Json calibration_json(const CalibrationResult& r) {
    return JsonBlock()
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
    JsonBlock block;
    block.set("id", f.id).set("text", f.text).number("value", f.value).set("unit", f.unit);
    if (f.interval)
        block.set("interval", {json_number(f.interval->low), json_number(f.interval->high)});
    return block.done();
}

template <class T, class Function>
Json array_of(const std::vector<T>& items, Function&& to) {
    Json array = Json::array();
    for (const T& item : items) array.push_back(to(item));
    return array;
}

/// `otherwise`: why there are no results, where the test itself does not say.
Json selftest_block(const SelfTest& test, const std::string& otherwise) {
    const std::string why = !test.results.empty() || !test.reason.empty() ? test.reason : otherwise;
    return {{"tolerance", selftest_tolerance},
            {"reason", why.empty() ? Json() : Json(why)},
            {"results", array_of(test.results, calibration_json)}};
}

}  // namespace

std::string selftest_json(const SelfTest& test) { return layout(selftest_block(test, "")); }

std::string to_json(const Report& report) {
    const std::string& gate = report.counters_closed_gate;
    const Json json = {
        {"schema_version", schema_version},
        {"complete", report.complete},
        {"tool", tool_json(report.tool)},
        {"command", report.command},
        {"started_at", report.started_at},
        {"duration_s", json_number(report.duration_s)},
        {"host", report.host},
        {"device", device_json(report.device)},
        {"config", config_json(report.config)},
        {"counters",
         {{"closed_gate", gate.empty() ? Json() : Json(gate)},
          {"remedy", gate.empty() ? Json() : Json(report.counters_remedy)}}},
        {"selftest", selftest_block(report.selftest, uncounted_reason(report))},
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
