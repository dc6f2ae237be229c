#include "backend/count_groups.h"

#include <fmt/format.h>

#include <exception>

namespace attnroof {
namespace {

/// The session's outcome; an exception is one more shut gate.
CountOutcome attempt(const CountSession& session, CounterGroup group,
                     const std::vector<CountJob>& jobs) {
    try {
        return session(group, jobs);
    } catch (const std::exception& error) {
        CountOutcome outcome;
        outcome.closed_gate = error.what();
        return outcome;
    }
}

void merge(CounterSet& into, CounterGroup group, const CounterSet& counted,
           const std::string& fault) {
    for (const CounterInfo& info : counter_table()) {
        if (info.group != group) continue;
        const auto found = counted.find(info.counter);
        if (!fault.empty())
            into[info.counter] = {std::nullopt, "", fault};
        else if (found != counted.end())
            into[info.counter] = found->second;
    }
}

}  // namespace

CountOutcome count_by_group(const std::vector<CountJob>& jobs, const CountSession& session) {
    CountOutcome outcome;
    for (CounterGroup group : counter_groups) {
        std::vector<std::size_t> places;
        std::vector<CountJob> chosen;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            if (!jobs[i].groups.contains(group)) continue;
            places.push_back(i);
            chosen.push_back(jobs[i]);
        }
        if (chosen.empty()) continue;
        const bool first = outcome.sets.empty();
        const CountOutcome counted =
            first ? session(group, chosen) : attempt(session, group, chosen);
        if (first && !counted.closed_gate.empty()) return counted;
        std::string fault;
        if (!counted.closed_gate.empty()) {
            fault = fmt::format("{}the session of the {}: {}", counting_failed, name(group),
                                counted.closed_gate);
            outcome.fault += (outcome.fault.empty() ? "" : "; ") + fault;
        }
        outcome.passes += counted.passes;
        outcome.sets.resize(jobs.size());
        for (std::size_t k = 0; k < places.size(); ++k)
            merge(outcome.sets[places[k]], group,
                  k < counted.sets.size() ? counted.sets[k] : CounterSet{}, fault);
    }
    return outcome;
}

}  // namespace attnroof
