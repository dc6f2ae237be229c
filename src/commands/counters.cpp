// attnroof counters: the metric plan of a chip, from CUPTI's own lists.
#include "commands/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backend/backend.h"
#include "backend/metric_plan.h"
#include "errors.h"
#include "predict/device_spec.h"
#include "report/text_grid.h"

namespace attnroof {
namespace {

using Json = nlohmann::ordered_json;

std::size_t available(const ChipPlan& plan) {
    return static_cast<std::size_t>(
        std::count_if(plan.counters.begin(), plan.counters.end(),
                      [](const ResolvedCounter& counter) { return !counter.terms.empty(); }));
}

/// This machine's own chip, or empty with the reason.
std::string own_chip(std::string& why_not) {
    try {
        const BackendChoice choice = open_backend("cuda");
        why_not = choice.backend->counter_plan().closed_gate;
        return choice.backend->counter_plan().chip;
    } catch (const DeviceError& error) {
        why_not = error.what();
        return "";
    }
}

Json plan_json(const ChipPlan& plan) {
    Json json = {{"chip", plan.chip}};
    json["passes"] = plan.refused.empty() ? Json(plan.passes) : Json();
    json["reason"] = plan.refused.empty() ? Json() : Json(plan.refused);
    json["counters"] = Json::object();
    for (const ResolvedCounter& counter : plan.counters) {
        Json terms = Json::array();
        for (const MetricTerm& term : counter.terms)
            terms.push_back({{"metric", term.name + ".sum"}, {"scale", term.scale}});
        const CounterInfo& info = info_of(counter.counter);
        json["counters"][info.name] = {
            {"unit", info.unit},
            {"terms", counter.terms.empty() ? Json() : terms},
            {"reason", counter.reason.empty() ? Json() : Json(counter.reason)}};
    }
    return json;
}

void print_json(const MetricPlans& plans) {
    Json json = {{"library", plans.library}, {"chips", Json::array()}};
    for (const ChipPlan& plan : plans.chips) json["chips"].push_back(plan_json(plan));
    fmt::print("{}\n", json.dump(2));
}

/// One row a counter.
void print_plan(const ChipPlan& plan) {
    if (!plan.refused.empty()) {
        fmt::print("{}: no counters: {}\n", plan.chip, plan.refused);
        return;
    }
    fmt::print("{}: {} of {} counters, {} pass{} a case\n", plan.chip, available(plan),
               plan.counters.size(), plan.passes, plan.passes == 1 ? "" : "es");
    std::vector<GridRow> rows;
    for (const ResolvedCounter& counter : plan.counters) {
        const CounterInfo& info = info_of(counter.counter);
        rows.push_back({{"  " + std::string(info.name), info.unit,
                         counter.terms.empty() ? counter.reason : describe(counter.terms)},
                        "",
                        ""});
    }
    fmt::print("{}", layout_grid({{"  counter", false}, {"unit", false}, {"metric", false}},
                                 std::move(rows), 0, false));
}

/// One row a chip.
void print_summary(const MetricPlans& plans) {
    std::vector<GridRow> rows;
    for (const ChipPlan& plan : plans.chips) {
        std::vector<std::string> lacking;
        for (const ResolvedCounter& counter : plan.counters)
            if (counter.terms.empty()) lacking.emplace_back(info_of(counter.counter).name);
        std::string note = plan.refused;
        if (note.empty() && !lacking.empty())
            note = fmt::format("without {}", fmt::join(lacking, ", "));
        rows.push_back(
            {{plan.chip, fmt::format("{} of {}", available(plan), counter_table().size()),
              plan.refused.empty() ? std::to_string(plan.passes) : "-", note},
             "",
             ""});
    }
    fmt::print("{}", layout_grid({{"chip", false}, {"counters"}, {"passes"}, {"", false}},
                                 std::move(rows), 0, false));
}

}  // namespace

int run_counters(const CountersOptions& options) {
    std::string chip = chip_of(options.chip), why_not;
    if (chip.empty()) chip = own_chip(why_not);
    const bool summary = chip.empty();
    const MetricPlans plans = metric_plans(summary ? "all" : chip);
    if (options.json) {
        print_json(plans);
        return 0;
    }
    fmt::print("{}\n", plans.library);
    if (summary) {
        fmt::print("no chip of this machine's own: {}; --chip shows one of these\n\n", why_not);
        print_summary(plans);
    } else {
        for (const ChipPlan& plan : plans.chips) {
            fmt::print("\n");
            print_plan(plan);
        }
    }
    return 0;
}

}  // namespace attnroof
