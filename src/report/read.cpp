#include "report/read.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>

#include "config/json_tree.h"
#include "config/read_file.h"
#include "config/words.h"
#include "report/json_config.h"
#include "report/json_node.h"
#include "report/read_case.h"
#include "report/schema.h"

namespace attnroof {
namespace {

using Node = JsonNode;

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
    d.sm_count = count_or_zero(node, "sm_count");
    d.cache_bytes = count_or_zero(node, d.kind == DeviceKind::cuda ? "l2_bytes" : "l3_bytes");
    d.memory_bytes = count_or_zero(node, "memory_bytes");
    if (node.has("cuda_driver_version")) d.driver_version = node.at("cuda_driver_version").count();
    if (node.has("driver")) d.driver = node.at("driver").text();
    d.sm_clock_max_mhz = optional_amount(node.at("clocks"), "sm_max_mhz");
    d.memory_clock_max_mhz = optional_amount(node.at("clocks"), "memory_max_mhz");
    d.power_limit_w = optional_amount(node, "power_limit_w");
    d.ecc = optional_boolean(node, "ecc");
    d.mig = optional_boolean(node, "mig");
    return d;
}

Ceiling read_ceiling(const Node& node) {
    Ceiling c;
    c.id = node.at("id").text();
    c.value = node.at("value").amount();
    c.unit = node.at("unit").text();
    constexpr std::array units{"byte/s", "FLOP/s", "op/s", "s"};
    if (std::find(units.begin(), units.end(), c.unit) == units.end())
        node.at("unit").fail(
            fmt::format("unknown unit \"{}\"; known: {}", c.unit, fmt::join(units, ", ")));
    c.source = node.at("source").word<Source>(source_names);
    c.mode = node.at("mode").word<CeilingMode>(ceiling_mode_names);
    c.spread = node.at("spread").amount();
    c.samples = node.at("samples").small_count();
    c.clock_mhz = optional_amount(node, "clock_mhz");
    c.power_w = optional_amount(node, "power_w");
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
    r.expected = node.at("expected").amount();
    r.counted.value = optional_amount(node, "counted");
    r.counted.metric = text_or_empty(node, "metric");
    if (node.has("missing")) r.counted.reason = text_or_empty(node.at("missing"), "counted");
    if (r.counted.value) r.error = optional_number(node, "relative_error");
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

/// What no case shows on its own: ids are unique, what is ok was timed, a prediction timed nothing.
void check_cases(const Node& node, const Report& report) {
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < report.cases.size(); ++i) {
        const std::string& id = report.cases[i].plan.id;
        const auto [first, fresh] = seen.emplace(id, i);
        if (!fresh)
            node.items()[i].at("id").fail(
                fmt::format("{} is the id of cases[{}] too", id, first->second));
        const bool timed = report.cases[i].time.has_value();
        if (report.prediction && timed)
            node.items()[i].at("time").fail("a prediction holds no measured time");
        if (!report.prediction && !timed && report.cases[i].plan.status == Status::ok)
            node.items()[i].at("time").fail("a case that is ok has a time");
    }
}

Report read_body(const Node& node) {
    Report report;
    report.complete = node.at("complete").boolean();
    report.tool = read_tool(node.at("tool"));
    report.command = texts(node.at("command"));
    report.started_at = node.at("started_at").text();
    report.duration_s = node.at("duration_s").amount();
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
    check_cases(node.at("cases"), report);
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

nlohmann::json parse_text(std::string_view text, const std::string& source) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw UsageError(source + ": the file is empty");
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const bool truncated = error.byte > text.size();
        throw UsageError(fmt::format("{}: {} at {}", source,
                                     truncated ? "truncated: the text ends" : "not JSON",
                                     place_of(text, error.byte)));
    } catch (const nlohmann::json::exception&) {
        parse_json(text, source);  // names the number past the range of a double, and its place
        throw UsageError(source + ": not JSON");
    }
}

}  // namespace

Report parse_report(std::string_view text, const std::string& source) {
    const nlohmann::json json = parse_text(text, source);
    const Node root(json, source);
    check_version(json, root);
    return read_body(root);
}

Report read_report(const std::string& path) {
    return parse_report(read_file(path, "a report", largest_report), printable(path));
}

}  // namespace attnroof
