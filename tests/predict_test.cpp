// Predictions: specs of devices that are not here, and reports that nothing ran for.
#include "predict/predict.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "config/embedded.h"
#include "errors.h"
#include "report/formats.h"
#include "report/read.h"
#include "report_fixture.h"
#include "temporary_folder.h"

using namespace attnroof;

namespace {

SweepConfig config_of(std::vector<std::int64_t> lengths) {
    SweepConfig config;
    config.seq_lens = std::move(lengths);
    config.head_dims = {128};
    config.heads = {16};
    return config;
}

double ceiling(const DeviceSpec& spec, const std::string& id) {
    for (const Ceiling& c : spec.ceilings)
        if (c.id == id) return c.value;
    return 0;
}

std::string message_of(const std::string& text) {
    try {
        parse_device_spec(text, "spec.json");
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

std::string h200_with(const std::string& key, const nlohmann::json& value) {
    for (const EmbeddedConfig& device : embedded_devices())
        if (device.name == "h200") {
            auto json = nlohmann::json::parse(device.text);
            json[key] = value;
            return json.dump();
        }
    return "";
}

}  // namespace

TEST_CASE("the shipped devices agree with themselves") {
    std::vector<std::string> names;
    for (const EmbeddedConfig& device : embedded_devices()) {
        INFO(device.name);
        names.push_back(device.name);
        const DeviceSpec spec = load_device_spec(device.name);
        const DeviceFacts& d = spec.facts;
        CHECK(spec.source.find("NVIDIA") != std::string::npos);
        for (const Ceiling& c : spec.ceilings) CHECK(c.source == Source::datasheet);
        const double clocks = static_cast<double>(d.sm_count) * *d.sm_clock_max_mhz * 1e6;
        const double lanes = d.compute_capability == 80 ? 64 : 128;
        CHECK(ceiling(spec, "fma.fp32") == Approx(2 * lanes * clocks).epsilon(0.02));
        CHECK(ceiling(spec, "exp") == Approx(16 * clocks));
        // FLOPs per clock and SM of the tensor cores; vendors rate them at a lower clock.
        const std::map<int, double> dense{{80, 2048}, {89, 1024}, {90, 4096}, {100, 8192}};
        // A GeForce accumulates in fp32 at half the rate.
        const double rated = dense.at(d.compute_capability) / (device.name == "rtx4090" ? 2 : 1);
        const double per_clock = ceiling(spec, "tensor.bf16") / clocks;
        CHECK(per_clock < 1.01 * rated);
        CHECK(per_clock > 0.9 * rated);
    }
    CHECK(names == std::vector<std::string>{"a100", "b200", "h100", "h200", "l40s", "rtx4090"});
}

TEST_CASE("a prediction has the kernels of its device and no measured figure") {
    const Report hopper = predict(config_of({4096}), load_device_spec("h100"));
    const Report ampere = predict(config_of({4096}), load_device_spec("a100"));
    REQUIRE(hopper.cases.size() == 2);
    CHECK(hopper.cases[1].plan.kernel->variant == "sm90");
    CHECK(ampere.cases[1].plan.kernel->variant == "sm80");
    for (const CaseResult& c : hopper.cases) {
        CHECK(c.plan.status == Status::ok);
        CHECK_FALSE(c.time);
        CHECK_FALSE(c.check);
        CHECK(c.counted.in_range.empty());
        REQUIRE(c.point);
        CHECK(std::isnan(c.point->achieved_flops_per_s));
        CHECK(std::isnan(c.point->fraction_of_roof));
        CHECK(c.point->bytes_source == Source::modelled);
        CHECK_FALSE(above_roof_warning(*c.point));
    }
}

TEST_CASE("a shipped device stands for its chip") {
    for (const EmbeddedConfig& device : embedded_devices()) {
        const DeviceFacts facts = load_device_spec(device.name).facts;
        CHECK_FALSE(facts.chip.empty());
        CHECK(chip_of(device.name) == facts.chip);
        CHECK(chip_of(facts.name) == facts.chip);
    }
    CHECK(chip_of("H100") == "GH100");
    for (const char* other : {"", "all", "GB202", "H1000"}) CHECK(chip_of(other) == other);
}

TEST_CASE("attainable times follow from the datasheet") {
    const Report r = predict(config_of({4096}), load_device_spec("h200"));
    const CaseResult &naive = r.cases[0], &fused = r.cases[1];
    CHECK(naive.point->bound == Bound::memory);
    CHECK(naive.point->attainable_s ==
          Approx(static_cast<double>(naive.modelled.total()) / 4.8e12));
    CHECK(fused.point->bound == Bound::compute);
    CHECK(fused.point->attainable_s == Approx(4 * 16.0 * 4096 * 4096 * 128 / 989.4e12));
    CHECK(fused.point->ceiling == "tensor.bf16");
}

TEST_CASE("what the device's memory does not hold is skipped") {
    const Report r = predict(config_of({65536}), load_device_spec("rtx4090"));
    CHECK(r.cases[0].plan.status == Status::skipped);
    CHECK_FALSE(r.cases[0].point);
    CHECK(r.cases[1].plan.status == Status::ok);
}

TEST_CASE("small scores that stay in the L2 move the prediction") {
    SweepConfig config = config_of({1024});
    config.kernels = {{"naive", ""}};
    const auto bytes = [&](const char* device) {
        return predict(config, load_device_spec(device)).cases[0].modelled.total();
    };
    CHECK(bytes("b200") < bytes("a100"));  // 34 MB of scores: 126 MB and 42 MB of L2
}

TEST_CASE("a prediction survives a round through JSON, and says what it is") {
    const Report r = predict(config_of({4096, 1 << 20}), load_device_spec("h200"));
    const std::string text = to_json(r);
    const auto json = nlohmann::json::parse(text);
    CHECK(json["prediction"]["source"] == "modelled");
    CHECK(json["ceilings"][0]["source"] == "datasheet");
    const auto& first = json["cases"][0];
    CHECK(first["time"].is_null());
    CHECK(first["memory"]["source"] == "modelled");
    CHECK(first["missing"]["time"] == "predicted, not timed");
    CHECK(first["counters"]["hbm_read_bytes"]["reason"] == "predicted, not counted");
    CHECK(first["roofline"]["achieved_flops_per_s"].is_null());
    CHECK(first["roofline"]["missing"]["fraction_of_roof"] == "no time was measured");
    CHECK(first["roofline"]["attainable_s"].get<double>() == r.cases[0].point->attainable_s);
    const Report again = parse_report(text, "again");
    CHECK(again.prediction == r.prediction);
    CHECK(to_json(again) == text);
}

TEST_CASE("a prediction is drawn on its roofs and listed with what it needs") {
    const Report r = predict(config_of({1024, 4096}), load_device_spec("h200"));
    const std::string svg = to_svg(r);
    CHECK(svg.find("Predicted attention roofline") != std::string::npos);
    CHECK(svg.find("roofs of the datasheet") != std::string::npos);
    CHECK(svg.find("No case gave a point") == std::string::npos);
    CHECK(svg.find("nan") == std::string::npos);
    const std::string table = to_table(r, false, 0);
    CHECK(table.find("at best") != std::string::npos);
    CHECK(table.find("nothing was run") != std::string::npos);
    CHECK(table.find("?") == std::string::npos);
    CHECK(to_csv(r).find("nan") == std::string::npos);
}

TEST_CASE("a report gives its own device and ceilings") {
    const TemporaryFolder folder;
    const Report measured = fixture::gpu_report({1024}, {128}, {Mask::full});
    const DeviceSpec spec = load_device_spec(folder.write("r.json", to_json(measured)));
    CHECK(spec.facts.name == measured.device.name);
    CHECK(spec.ceilings.size() == measured.ceilings.size());
    CHECK(spec.ceilings[0].source == Source::measured);
    // Its launch ceiling bounds what is too small to fill the device.
    SweepConfig tiny = config_of({128});
    tiny.heads = {1};
    const Report r = predict(tiny, spec);
    CHECK(r.cases[1].point->bound == Bound::latency);
    CHECK(r.cases[1].point->attainable_s == Approx(2.1e-6));
    CHECK_THROWS_AS(parse_device_spec(to_json(Report{}), "none"), UsageError);
    Report zero = measured;  // a ceiling of 0 has nothing below it
    zero.ceilings[0].value = 0;
    CHECK(parse_device_spec(to_json(zero), "zero").ceilings.size() + 1 == zero.ceilings.size());
    for (Ceiling& c : zero.ceilings) c.value = 0;
    CHECK_THROWS_AS(parse_device_spec(to_json(zero), "zeros"), UsageError);
}

TEST_CASE("what is wrong with a spec is named") {
    CHECK_THAT(message_of(h200_with("sm_counts", 1)),
               ContainsSubstring("unknown key 'sm_counts'") && ContainsSubstring("sm_count?"));
    CHECK_THAT(message_of(h200_with("sm_count", 0)),
               ContainsSubstring("sm_count: expected at least 1"));
    CHECK_THAT(message_of(h200_with("hbm_bytes_per_s", "fast")),
               ContainsSubstring("hbm_bytes_per_s"));
    CHECK_THAT(message_of(h200_with("hbm_bytes_per_s", -1)), ContainsSubstring("above 0"));
    CHECK_THAT(message_of(h200_with("compute_capability", "ninety")),
               ContainsSubstring("MAJOR.MINOR"));
    CHECK_THAT(message_of(h200_with("name", "")), ContainsSubstring("name: is empty"));
    CHECK_THAT(message_of(h200_with("exp_per_clock_and_sm", 1e308)),
               ContainsSubstring("exp_per_clock_and_sm: is too large"));
    CHECK_THAT(message_of("{\"name\": \"x\"}"), ContainsSubstring("spec.json"));
    CHECK_THAT(message_of("{\"name\": "), ContainsSubstring("spec.json: truncated"));
    CHECK_THAT(message_of("[]"), ContainsSubstring("spec.json"));
}
