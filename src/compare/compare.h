// compare: two sides of reports to one verdict a case. Touches no device and no file.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compare/statistics.h"
#include "config/gate.h"
#include "errors.h"
#include "report/report.h"

namespace attnroof {

enum class Verdict { same, faster, slower, ambiguous, added, missing, failed, incomparable };
inline constexpr std::array verdict_names{"same", "faster",  "slower", "ambiguous",
                                          "new",  "missing", "failed", "incomparable"};
inline const char* name(Verdict v) { return verdict_names[static_cast<std::size_t>(v)]; }

/// A counted quantity on both sides; what was not counted is empty.
struct CountedPair {
    const char* what;  // "HBM bytes", "executed FLOPs"
    std::optional<double> base, fresh;
};

struct VerdictRow {
    std::string id;       // in the new reports; in the base when they lack it
    std::string base_id;  // only where an alias says it differs
    Verdict verdict = Verdict::same;
    bool required = true;
    bool implausible = false;        // a gain that is too large to be believed
    bool judged = false;             // ok on both sides, so that something could be compared
    std::string reason;              // one line: why this verdict
    std::vector<std::string> notes;  // what else a reader should know
    std::optional<TimeChange> time;
    std::optional<TimeChange> cycles;  // times scaled to the base's SM clock, when clocks were read
    std::vector<CountedPair> counted;  // what at least one side counted
    std::string settle;                // of an ambiguous row: the command that measures it again
};

struct CompareOptions {
    Gate gate;
    std::map<std::string, std::string> aliases;  // id in the base -> id in the new reports
    bool strict = false;                         // ambiguous fails
    bool any_device = false;                     // compare different devices, with a warning
};

struct Comparison {
    std::vector<std::string> base_files, new_files;  // names of the reports, where there are any
    std::vector<VerdictRow>
        rows;  // every case of either side once: the base's order, then new ones
    std::vector<std::string> warnings;
    std::vector<std::string> unmet;  // required patterns that no case matches
    std::string obstacle;            // why nothing at all can be compared; empty when something can
    bool incomplete = false;         // a new report ended early
    bool strict = false;
};

/// Rows of each verdict, in the order of the enumeration; their sum is rows.size().
std::array<std::size_t, verdict_names.size()> totals(const Comparison& comparison);

/// 3 when nothing can be compared; else 4 for a required case that is missing or failed (also when
/// a new report is incomplete), 1 for a slower one, 3 for an incomparable one, 1 for an ambiguous
/// one when strict, 3 when every case that both sides have is ambiguous, 0.
ExitCode exit_code(const Comparison& comparison);

/// Compares in this order, and the first step that fails names itself: predictions, device, timing
/// mode, ids, status, problem, counted quantities, time. What the base counted or timed and the new
/// side lost is incomparable, unless something that remains is slower. Several reports a side are
/// several processes. Where clocks were read on both sides, a case that the SM clock binds
/// (compute, exp) and whose cycles stayed is `same`, whatever the clock did to its time, and says
/// so. Each side holds at least one report. Throws UsageError: an alias that is no base id or takes
/// another case's place, one report with two cases of one id.
Comparison compare(const std::vector<Report>& base, const std::vector<Report>& fresh,
                   const CompareOptions& options);

}  // namespace attnroof
