// attnroof selftest: are the counters right on this machine?
#include "commands/selftest.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "errors.h"
#include "measure/selftest.h"
#include "report/formats.h"
#include "report/text_grid.h"
#include "report/units.h"

namespace attnroof {
namespace {

std::string verdict_of(const CalibrationResult& result) {
    if (!result.error) return "not counted";
    return result.passed() ? "ok" : "OFF";
}

void print_table(const SelfTestRun& run, const std::string& device) {
    fmt::print("{}, {} pass{}\n\n", device, run.passes, run.passes == 1 ? "" : "es");
    std::vector<GridRow> rows;
    for (const CalibrationResult& result : run.test.results) {
        GridRow row{
            {result.job, name(result.counter), fmt::format("{:.0f}", result.expected),
             result.counted.value ? fmt::format("{:.0f}", *result.counted.value) : "-",
             result.error ? fmt::format("{:.3f} %", 100 * *result.error) : "-", verdict_of(result)},
            result.counted.reason,
            ""};
        rows.push_back(std::move(row));
    }
    fmt::print("{}\n", layout_grid({{"job", false},
                                    {"counter", false},
                                    {"expected"},
                                    {"counted"},
                                    {"off by"},
                                    {"", false}},
                                   std::move(rows), 0, false));
    for (const auto& [counter, reason] : run.test.unusable())
        fmt::print("{} is not usable: {}\n", name(counter), reason);
    if (run.test.unusable().empty())
        fmt::print("every counter is within {} % of what the kernels do\n",
                   100 * selftest_tolerance);
}

}  // namespace

int run_selftest_command(const SelfTestOptions& options) {
    const BackendChoice choice = open_backend(options.device);
    const SelfTestRun run = run_selftest(*choice.backend);
    if (!run.closed_gate.empty())
        throw DeviceError(run.closed_gate + (run.remedy.empty() ? "" : "; " + run.remedy));
    if (run.test.results.empty()) throw DeviceError(run.test.reason);
    if (options.json)
        fmt::print("{}", selftest_json(run.test));
    else
        print_table(run, choice.backend->facts().name);
    return run.test.unusable().empty() ? 0 : static_cast<int>(ExitCode::failed);
}

}  // namespace attnroof
