// Pairs of reports for the tests of compare, among them those that data/compare.json describes.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compare/compare.h"
#include "report/formats.h"
#include "tests/report_fixture.h"

namespace attnroof::fixture {

inline const std::string subject = "forward/fused/bf16/full/b4/h16/kv16/q4096/k4096/d128/cold";
inline const std::string steady = "forward/fused/bf16/full/b16/h16/kv16/q1024/k1024/d128/cold";
inline const std::vector<double> calm{0.001, 0.00101, 0.00099, 0.001, 0.00102};

inline CaseResult timed_case(std::int64_t n, std::vector<double> samples_s) {
    CaseResult c =
        measured("fused", problem(n, 128, Mask::full, DType::bf16), 0.5, 4.28e12, 792e12);
    c.time = summarize(std::move(samples_s));
    return c;
}

/// The case `subject` with these samples.
inline CaseResult subject_case(std::vector<double> samples_s) {
    return timed_case(4096, std::move(samples_s));
}

inline CaseResult subject_that(Status status, const std::string& reason) {
    CaseResult c = subject_case(calm);
    c.plan.status = status;
    c.plan.reason = reason;
    c.time.reset();
    c.point.reset();
    return c;
}

/// A GPU report of these cases, and of `steady`, which never changes.
inline Report report_of(std::vector<CaseResult> cases) {
    Report r = empty_gpu_report();
    r.cases = std::move(cases);
    r.cases.push_back(timed_case(1024, calm));
    return r;
}

inline void count_bytes(CaseResult& c, double bytes) {
    c.counted.passes = 1;
    c.counted.settled[Counter::hbm_read_bytes] = counted(bytes, "dram__bytes_read.sum");
    c.counted.settled[Counter::hbm_write_bytes] = counted(0, "dram__bytes_write.sum");
}

inline std::vector<double> scaled(double factor, std::vector<double> samples = calm) {
    for (double& s : samples) s *= factor;
    return samples;
}

inline const VerdictRow& row_of(const Comparison& c, const std::string& id) {
    for (const VerdictRow& row : c.rows)
        if (row.id == id) return row;
    throw std::runtime_error("no row of " + id);
}

/// The row of `subject`, both sides one report of it.
inline VerdictRow judge(CaseResult base, CaseResult fresh, const CompareOptions& options = {}) {
    return row_of(compare({report_of({std::move(base)})}, {report_of({std::move(fresh)})}, options),
                  subject);
}

inline bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// One row of data/compare.json as two JSON texts.
struct GatePair {
    std::string base, fresh;
    nlohmann::json row;
};

/// The reports of a row, before schema versions are put in.
inline std::pair<Report, Report> reports_of(const nlohmann::json& row) {
    const auto side = [&](const char* key, std::size_t index) {
        std::vector<CaseResult> cases;
        const nlohmann::json times = row.value(key, nlohmann::json(calm));
        if (times.is_array()) cases.push_back(subject_case(times.get<std::vector<double>>()));
        if (times == "failed") cases.push_back(subject_that(Status::failed, "launch error"));
        if (times == "wrong") cases.push_back(subject_that(Status::wrong, "O differs"));
        Report r = report_of(std::move(cases));
        if (times == "ids a") r.cases = {timed_case(512, calm)};
        if (times == "ids b") r.cases = {timed_case(2048, calm)};
        if (row.contains("device")) {
            // "NVIDIA H200 #3": the number after the name is an index, as nvidia-smi gives it.
            const std::string name = row["device"][index];
            r.device.name = name.substr(0, name.find(" #"));
            r.device.uuid = "GPU-of-" + name;
            if (name == "cpu") r.device = cpu_report().device;
        }
        if (row.contains("bytes") && row["bytes"][index].is_number())
            count_bytes(r.cases.front(), row["bytes"][index]);
        return r;
    };
    std::pair<Report, Report> pair{side("base", 0), side("new", 1)};
    if (!row.value("complete", true)) {
        // A sweep that was stopped before its first case, as it leaves the file behind.
        pair.second.complete = false;
        pair.second.cases.front() =
            subject_that(Status::skipped, "not run: the sweep ended before it");
    }
    return pair;
}

inline std::vector<GatePair> gate_pairs() {
    const auto with_schema = [](const Report& report, const nlohmann::json& row,
                                std::size_t index) {
        nlohmann::json json = nlohmann::json::parse(to_json(report));
        if (row.contains("schema")) json["schema_version"] = row["schema"][index];
        return json.dump();
    };
    std::vector<GatePair> pairs;
    const auto data = nlohmann::json::parse(std::ifstream(ATTNROOF_TEST_DATA "/compare.json"));
    for (const nlohmann::json& row : data.at("cases")) {
        const auto [base, fresh] = reports_of(row);
        pairs.push_back({with_schema(base, row, 0), with_schema(fresh, row, 1), row});
    }
    return pairs;
}

}  // namespace attnroof::fixture
