// attnroof compare: (Report, Report) -> Verdict[] -> formats.
#include "commands/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "commands/outputs.h"
#include "commands/terminal.h"
#include "compare/formats.h"
#include "config/parse.h"
#include "config/words.h"
#include "report/atomic_file.h"
#include "report/formats.h"
#include "report/read.h"

namespace attnroof {
namespace {

struct Files {
    std::vector<std::string> base, fresh;
};

Files files_of(const CompareRequest& r) {
    if (r.base.empty() && r.fresh.empty()) {
        if (r.reports.size() == 2) return {{r.reports[0]}, {r.reports[1]}};
        if (r.reports.size() == 1)
            throw UsageError("compare needs two reports, the base and the new one; got only " +
                             in_quotes(r.reports.front()));
        throw UsageError(
            r.reports.empty()
                ? std::string("compare needs two reports: attnroof compare BASE NEW")
                : fmt::format("compare takes two reports, got {}: give several a side as --base "
                              "A1 A2 --new B1 B2",
                              r.reports.size()));
    }
    if (!r.reports.empty())
        throw UsageError("compare: " + in_quotes(r.reports.front()) +
                         " stands beside --base and --new; give it to one of them");
    if (r.base.empty() || r.fresh.empty())
        throw UsageError(fmt::format("compare: --{} is given without --{}",
                                     r.base.empty() ? "new" : "base",
                                     r.base.empty() ? "base" : "new"));
    return {r.base, r.fresh};
}

bool same_file(const std::string& a, const std::string& b) {
    std::error_code ignored;
    return a == b || std::filesystem::equivalent(a, b, ignored);
}

/// Every output can be written, and none would replace a report that is compared.
void check_outputs(const std::vector<std::string>& outputs, const Files& files) {
    attnroof::check_outputs(outputs, [&](const std::string& path) {
        compare_format_of(path);
        for (const auto* side : {&files.base, &files.fresh})
            for (const std::string& report : *side)
                if (same_file(path, report))
                    throw UsageError("-o: " + in_quotes(path) + " is one of the reports compared");
    });
}

std::map<std::string, std::string> parse_aliases(const std::vector<std::string>& texts) {
    std::map<std::string, std::string> aliases;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
            throw UsageError("--alias: expected OLD=NEW, got " + in_quotes(text));
        if (!aliases.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
            throw UsageError("--alias: " + in_quotes(text.substr(0, equals)) + " is given twice");
    }
    return aliases;
}

Gate gate_of(const CompareRequest& request) {
    Gate gate;
    if (!request.config.empty()) {
        const ConfigLayer layer = load_config(request.config);
        if (!layer.gate)
            throw UsageError(fmt::format("{}: has no \"gate\" to compare by", request.config));
        gate = *layer.gate;
    }
    gate.limits.push_back(request.limits);
    gate.required.insert(gate.required.end(), request.required.begin(), request.required.end());
    if (std::find(gate.required.begin(), gate.required.end(), "") != gate.required.end())
        throw UsageError("a required pattern is empty: no case has such an id");
    return gate;
}

/// One report given several times to a side is one process, not several.
void warn_of_repeats(Comparison& comparison, const std::vector<std::string>& paths,
                     const char* side) {
    for (auto path = paths.begin(); path != paths.end(); ++path)
        if (std::any_of(paths.begin(), path,
                        [&](const auto& other) { return same_file(other, *path); }))
            comparison.warnings.push_back(
                fmt::format("{} stands twice on the {} side: its samples count as those of two "
                            "processes, which they are not",
                            *path, side));
}

std::vector<Report> read_all(const std::vector<std::string>& paths) {
    std::vector<Report> reports;
    for (const std::string& path : paths) reports.push_back(read_report(path));
    return reports;
}

}  // namespace

int run_compare(const CompareRequest& request) {
    const Files files = files_of(request);
    if (!request.annotations.empty() && request.annotations != "github")
        throw UsageError("--annotations: unknown place " + in_quotes(request.annotations) +
                         " (known: github)");
    check_outputs(request.outputs, files);
    const CompareOptions options{.gate = gate_of(request),
                                 .aliases = parse_aliases(request.aliases),
                                 .strict = request.strict,
                                 .any_device = request.any_device};
    Comparison comparison = compare(read_all(files.base), read_all(files.fresh), options);
    comparison.base_files = files.base;
    comparison.new_files = files.fresh;
    warn_of_repeats(comparison, files.base, "base");
    warn_of_repeats(comparison, files.fresh, "new");

    for (const std::string& path : request.outputs)
        write_file(path, compare_format_of(path).render(comparison));
    if (!request.quiet) fmt::print("{}", to_table(comparison, wants_colour(), terminal_width()));
    if (!request.annotations.empty()) fmt::print("{}", to_github_annotations(comparison));
    return static_cast<int>(exit_code(comparison));
}

}  // namespace attnroof
