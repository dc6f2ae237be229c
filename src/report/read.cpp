#include "report/read.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/registry.h"
#include "report/json_config.h"
#include "report/json_node.h"
#include "report/schema.h"

namespace attnroof {
namespace {

using Node = JsonNode;

std::string text_or_empty(const Node& node, const char* key) {
    return node.has(key) ? node.at(key).text() : "";
}
std::int64_t integer_or_zero(const Node& node, const char* key) {
    return node.has(key) ? node.at(key).integer() : 0;
}
std::optional<double> optional_number(const Node& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).number()) : std::nullopt;
}
std::optional<std::int64_t> optional_integer(const Node& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).integer()) : std::nullopt;
}
std::optional<bool> optional_boolean(const Node& node, const char* key) {
    return node.has(key) ? std::optional(node.at(key).boolean()) : std::nullopt;
}

std::vector<std::string> texts(const Node& node) {
    std::vector<std::string> all;
    for (const Node& item : node.items()) all.push_back(item.text());
    return all;
}

ToolFacts read_tool(const Node& node) {
    return {node.at("version").text(),      text_or_empty(node, "git_sha"),
            node.at("git_dirty").boolean(), text_or_empty(node, "cuda"),
            text_or_empty(node, "cupti"),   text_or_empty(node, "compiler")};
}

int read_capability(const Node& device) {
    if (!device.has("compute_capability")) return 0;
    const std::string text = device.at("compute_capability").text();
    int major = 0, minor = 0;
    if (std::sscanf(text.c_str(), "%3d.%1d", &major, &minor) != 2)
        device.at("compute_capability").fail("expected MAJOR.MINOR, got \"" + text + "\"");
    return 10 * major + minor;
}

DeviceFacts read_device(const Node& node) {
    DeviceFacts d;
    d.kind = node.at("kind").word<DeviceKind>(device_kind_names);
    d.name = node.at("name").text();
    d.uuid = text_or_empty(node, "uuid");
    d.chip = text_or_empty(node, "chip");
    d.compute_capability = read_capability(node);
    d.sm_count = integer_or_zero(node, "sm_count");
    d.cache_bytes = integer_or_zero(node, d.kind == DeviceKind::cuda ? "l2_bytes" : "l3_bytes");
    d.memory_bytes = integer_or_zero(node, "memory_bytes");
    d.driver_version = optional_integer(node, "cuda_driver_version");
    if (node.has("driver")) d.driver = node.at("driver").text();
    d.sm_clock_max_mhz = optional_number(node.at("clocks"), "sm_max_mhz");
    d.memory_clock_max_mhz = optional_number(node.at("clocks"), "memory_max_mhz");
    d.power_limit_w = optional_number(node, "power_limit_w");
    d.ecc = optional_boolean(node, "ecc");
    d.mig = optional_boolean(node, "mig");
    return d;
}

Ceiling read_ceiling(const Node& node) {
    Ceiling c;
    c.id = node.at("id").text();
    c.value = node.at("value").number();
    c.unit = node.at("unit").text();
    c.source = node.at("source").word<Source>(source_names);
    c.mode = node.at("mode").word<CeilingMode>(ceiling_mode_names);
    c.spread = node.at("spread").number();
    c.samples = static_cast<int>(node.at("samples").integer());
    c.clock_mhz = optional_number(node, "clock_mhz");
    c.power_w = optional_number(node, "power_w");
    return c;
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
    return p;
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
    plan.asked.name = node.at("kernel").at("name").text();
    if (plan.id.find("/" + plan.asked.name + ":" + variant + "/") != std::string::npos)
        plan.asked.variant = variant;
    plan.kernel = find_kernel(plan.asked.name, variant);
    plan.cache = node.at("cache").word<CacheMode>(cache_mode_names);
    plan.status = node.at("status").word<Status>(status_names);
    plan.reason = text_or_empty(node, "reason");
    return plan;
}

TimeStats read_time(const Node& node) {
    TimeStats t;
    t.median_s = node.at("median_s").number();
    t.min_s = node.at("min_s").number();
    const std::vector<Node> interval = node.at("ci95_s").items();
    if (interval.size() != 2) node.at("ci95_s").fail("expected two numbers");
    t.ci95_low_s = interval[0].number();
    t.ci95_high_s = interval[1].number();
    for (const Node& sample : node.at("samples_s").items()) t.samples_s.push_back(sample.number());
    t.clocks.sm_clock_mhz = optional_number(node, "sm_clock_mhz");
    t.clocks.power_w = optional_number(node, "power_w");
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
    counter.value = optional_number(node, "value");
    counter.metric = text_or_empty(node, "metric");
    counter.reason = text_or_empty(node, "reason");
    if (node.has("passes")) passes = static_cast<int>(node.at("passes").integer());
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
    return {node.at("hbm_read_bytes").integer(), node.at("hbm_write_bytes").integer()};
}

CaseCounters read_counted(const Node& node) {
    CaseCounters counted;
    counted.in_range = read_counters(node.at("counters"), "", counted.passes);
    counted.settled = read_counters(node.at("counters"), settled_prefix, counted.passes);
    if (!node.has("steps")) return counted;
    for (const Node& step : node.at("steps").items())
        counted.steps.push_back(
            {step.at("name").text(), read_counters(step.at("counters"), "", counted.passes),
             read_traffic(step.at("model")), optional_number(step.at("time"), "median_s")});
    return counted;
}

Point read_point(const Node& node) {
    Point p;
    p.flops = node.at("flops").number();
    p.hbm_bytes = node.at("hbm_bytes").number();
    p.bytes_source = node.at("bytes_source").word<Source>(source_names);
    p.bytes_kind = node.at("bytes_kind").text();
    p.intensity_flop_per_byte = node.at("intensity_flop_per_byte").number();
    p.achieved_flops_per_s = node.at("achieved_flops_per_s").number();
    p.achieved_bytes_per_s = node.at("achieved_bytes_per_s").number();
    p.ceiling = node.at("ceiling").text();
    p.ceiling_mode = node.at("ceiling_mode").word<CeilingMode>(ceiling_mode_names);
    p.attainable_flops_per_s = node.at("attainable_flops_per_s").number();
    p.fraction_of_roof = node.at("fraction_of_roof").number();
    // Reports from before the field are read too.
    p.attainable_s = node.has("attainable_s") ? node.at("attainable_s").number()
                                              : p.flops / p.attainable_flops_per_s;
    p.bound = node.at("bound").word<Bound>(bound_names);
    return p;
}

CheckResult read_check(const Node& node) {
    CheckResult c;
    c.max_abs_error = node.at("max_abs_error").number();
    c.tolerance = node.at("tolerance").number();
    c.worst_ratio = node.at("worst_ratio").number();
    c.lse_max_abs_error = node.at("lse_max_abs_error").number();
    c.rows = node.at("rows").integer();
    c.unwritten = node.at("unwritten").integer();
    return c;
}

CaseResult read_case(const Node& node) {
    CaseResult c;
    c.variant = text_or_empty(node.at("kernel"), "variant");
    c.plan = read_plan(node, c.variant);
    if (node.has("time")) c.time = read_time(node.at("time"));
    c.counted = read_counted(node);
    c.useful_flops = node.at("model").at("useful_flops").number();
    c.modelled = read_traffic(node.at("model"));
    c.footprint_bytes = node.at("model").at("footprint_bytes").integer();
    c.allocated_bytes = optional_integer(node.at("memory"), "allocated_bytes");
    if (node.has("roofline")) c.point = read_point(node.at("roofline"));
    if (node.has("check")) c.check = read_check(node.at("check"));
    c.warnings = texts(node.at("warnings"));
    return c;
}

Counter read_counter_name(const Node& node) {
    const std::string given = node.text();
    for (const CounterInfo& info : counter_table())
        if (given == info.name) return info.counter;
    node.fail("unknown counter \"" + given + "\"");
}

CalibrationResult read_calibration(const Node& node) {
    CalibrationResult r;
    r.job = node.at("job").text();
    r.counter = read_counter_name(node.at("counter"));
    r.expected = node.at("expected").number();
    r.counted.value = optional_number(node, "counted");
    r.counted.metric = text_or_empty(node, "metric");
    if (node.has("missing")) r.counted.reason = text_or_empty(node.at("missing"), "counted");
    r.error = optional_number(node, "relative_error");
    return r;
}

Finding read_finding(const Node& node) {
    Finding f{node.at("id").text(), node.at("text").text(), node.at("value").number(),
              node.at("unit").text()};
    if (!node.has("interval")) return f;
    const std::vector<Node> interval = node.at("interval").items();
    if (interval.size() != 2) node.at("interval").fail("expected two numbers");
    f.interval = FindingInterval{interval[0].number(), interval[1].number()};
    return f;
}

template <class T>
std::vector<T> read_all(const Node& node, T (*read)(const Node&)) {
    std::vector<T> all;
    for (const Node& item : node.items()) all.push_back(read(item));
    return all;
}

Report read_body(const Node& node) {
    Report report;
    report.complete = node.at("complete").boolean();
    report.tool = read_tool(node.at("tool"));
    report.command = texts(node.at("command"));
    report.started_at = node.at("started_at").text();
    report.duration_s = node.at("duration_s").number();
    for (const auto& [key, value] : node.at("host").members()) report.host[key] = value.text();
    report.device = read_device(node.at("device"));
    report.config = read_config(node.at("config"));
    report.counters_closed_gate = text_or_empty(node.at("counters"), "closed_gate");
    report.counters_remedy = text_or_empty(node.at("counters"), "remedy");
    if (node.has("selftest")) {  // reports of earlier versions have none
        report.selftest.reason = text_or_empty(node.at("selftest"), "reason");
        report.selftest.results = read_all(node.at("selftest").at("results"), read_calibration);
    }
    report.ceilings = read_all(node.at("ceilings"), read_ceiling);
    report.cases = read_all(node.at("cases"), read_case);
    report.findings = read_all(node.at("findings"), read_finding);
    if (node.has("prediction"))
        report.prediction = node.at("prediction").at("ceilings_from").text();
    return report;
}

void check_version(const nlohmann::json& json, const Node& node) {
    if (!json.is_object() || !json.contains("schema_version"))
        node.fail("not a report of attnroof: it has no schema_version");
    const std::int64_t version = node.at("schema_version").integer();
    if (version < schema_version)
        node.fail(
            fmt::format("schema_version {} is older than {}, the one that is read; measure "
                        "again with `attnroof sweep -o FILE`",
                        version, schema_version));
    if (version > schema_version)
        node.fail(
            fmt::format("schema_version {} is newer than {}, the one that is read; update "
                        "attnroof",
                        version, schema_version));
}

/// "line 3, column 17" of a byte in the text.
std::string place_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("line {}, column {}", line, std::max<std::size_t>(before.size() - start, 1));
}

nlohmann::json parse_json(std::string_view text, const std::string& source) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw UsageError(source + ": the file is empty");
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const bool truncated = error.byte > text.size();
        throw UsageError(fmt::format("{}: {} at {}", source,
                                     truncated ? "truncated: the text ends" : "not JSON",
                                     place_of(text, error.byte)));
    } catch (const nlohmann::json::exception& error) {  // a number past the range of a double
        throw UsageError(fmt::format("{}: not JSON: {}", source, error.what()));
    }
}

}  // namespace

Report parse_report(std::string_view text, const std::string& source) {
    const nlohmann::json json = parse_json(text, source);
    const Node root(json, source);
    check_version(json, root);
    return read_body(root);
}

Report read_report(const std::string& path) {
    std::error_code is_folder;
    if (std::filesystem::is_directory(path, is_folder))
        throw UsageError(fmt::format("cannot read {}: it is a folder", path));
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file) text << file.rdbuf();
    if (!file || file.bad())
        throw UsageError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    return parse_report(text.str(), path);
}

}  // namespace attnroof
