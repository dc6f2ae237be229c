#include "predict/device_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "config/embedded.h"
#include "config/read_file.h"
#include "config/words.h"
#include "errors.h"
#include "report/json_node.h"
#include "report/read.h"

namespace attnroof {
namespace {

constexpr std::array keys{"name",
                          "source",
                          "chip",
                          "compute_capability",
                          "sm_count",
                          "sm_clock_max_mhz",
                          "l2_bytes",
                          "memory_bytes",
                          "power_limit_w",
                          "hbm_bytes_per_s",
                          "tensor_bf16_flops_per_s",
                          "tensor_fp16_flops_per_s",
                          "fma_fp32_flops_per_s",
                          "exp_per_clock_and_sm"};

void check_keys(const JsonNode& node) {
    const std::vector<std::string> known(keys.begin(), keys.end());
    for (const auto& [key, value] : node.members())
        if (std::find(known.begin(), known.end(), key) == known.end())
            node.fail(fmt::format("unknown key {}{}", in_quotes(key), did_you_mean(key, known)));
}

double positive(const JsonNode& node, const char* key) {
    const double value = node.at(key).number();
    if (!(std::isfinite(value) && value > 0)) node.at(key).fail("expected a number above 0");
    return value;
}

std::int64_t positive_integer(const JsonNode& node, const char* key) {
    const std::int64_t value = node.at(key).integer();
    if (value < 1) node.at(key).fail("expected at least 1");
    return value;
}

/// "9.0" -> 90.
int capability(const JsonNode& node) {
    const std::string text = node.text();
    int major = 0, minor = 0, end = 0;
    if (std::sscanf(text.c_str(), "%2d.%1d%n", &major, &minor, &end) != 2 ||
        end != static_cast<int>(text.size()) || major < 1 || minor < 0)
        node.fail(fmt::format("expected MAJOR.MINOR, got {}", in_quotes(text)));
    return 10 * major + minor;
}

Ceiling datasheet(const char* id, double value, const char* unit) {
    Ceiling c;
    c.id = id;
    c.value = value;
    c.unit = unit;
    c.source = Source::datasheet;
    return c;
}

/// A datasheet has one figure for memory, whatever the direction: it stands as hbm.copy. It has
/// none for the L2 and for a launch, so there are no such ceilings.
std::vector<Ceiling> ceilings_of(const JsonNode& node, const DeviceFacts& facts) {
    std::vector<Ceiling> ceilings{
        datasheet("hbm.copy", positive(node, "hbm_bytes_per_s"), "byte/s")};
    for (const auto& [key, id] : {std::pair{"tensor_bf16_flops_per_s", "tensor.bf16"},
                                  {"tensor_fp16_flops_per_s", "tensor.fp16"},
                                  {"fma_fp32_flops_per_s", "fma.fp32"}})
        if (node.has(key)) ceilings.push_back(datasheet(id, positive(node, key), "FLOP/s"));
    if (!node.has("exp_per_clock_and_sm")) return ceilings;
    const double exps = positive(node, "exp_per_clock_and_sm") *
                        static_cast<double>(facts.sm_count) * *facts.sm_clock_max_mhz * 1e6;
    if (!std::isfinite(exps))
        node.at("exp_per_clock_and_sm").fail("is too large: times SMs and clock it is no number");
    ceilings.push_back(datasheet("exp", exps, "op/s"));
    return ceilings;
}

DeviceSpec read_spec(const JsonNode& node) {
    check_keys(node);
    DeviceSpec spec;
    DeviceFacts& d = spec.facts;
    d.kind = DeviceKind::cuda;
    d.name = node.at("name").text();
    if (d.name.empty()) node.at("name").fail("is empty");
    if (node.has("chip")) d.chip = node.at("chip").text();
    d.compute_capability = capability(node.at("compute_capability"));
    d.sm_count = positive_integer(node, "sm_count");
    d.sm_clock_max_mhz = positive(node, "sm_clock_max_mhz");
    d.cache_bytes = positive_integer(node, "l2_bytes");
    d.memory_bytes = positive_integer(node, "memory_bytes");
    if (node.has("power_limit_w")) d.power_limit_w = positive(node, "power_limit_w");
    spec.ceilings = ceilings_of(node, d);
    spec.source = node.at("source").text();
    return spec;
}

DeviceSpec spec_of_report(const Report& report, const std::string& source) {
    std::vector<Ceiling> ceilings = report.ceilings;
    std::erase_if(ceilings, [](const Ceiling& c) { return !(c.value > 0); });  // nothing below it
    if (ceilings.empty()) throw UsageError(source + ": this report has no ceilings");
    return {report.device, std::move(ceilings),
            fmt::format("ceilings of the report {}, {}", source, report.started_at)};
}

}  // namespace

DeviceSpec parse_device_spec(std::string_view text, const std::string& source) {
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw UsageError(source + ": is empty; expected a device spec or a report");
    const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
    // A report reader explains every fault of a file that is no JSON.
    if (json.is_discarded() || (json.is_object() && json.contains("schema_version")))
        return spec_of_report(parse_report(text, source), source);
    if (!json.is_object()) throw UsageError(source + ": is neither a device spec nor a report");
    return read_spec(JsonNode(json, source));
}

std::string chip_of(const std::string& device) {
    for (const EmbeddedConfig& shipped : embedded_devices()) {
        const DeviceSpec spec = parse_device_spec(shipped.text, shipped.name);
        if (same_word(shipped.name, device) || same_word(spec.facts.name, device))
            return spec.facts.chip;
    }
    return device;
}

DeviceSpec load_device_spec(const std::string& name_or_path) {
    std::vector<std::string> names;
    for (const EmbeddedConfig& device : embedded_devices()) {
        if (same_word(device.name, name_or_path))
            return parse_device_spec(device.text, device.name);
        names.push_back(device.name);
    }
    std::error_code ignored;
    if (name_or_path.empty() || !std::filesystem::exists(name_or_path, ignored))
        throw UsageError(fmt::format(
            "--device-spec: {} is no file, and no shipped device has that name{} "
            "(shipped: {})",
            in_quotes(name_or_path), did_you_mean(name_or_path, names), fmt::join(names, ", ")));
    return parse_device_spec(read_file(name_or_path, "a device spec or a report", largest_report),
                             printable(name_or_path));
}

}  // namespace attnroof
