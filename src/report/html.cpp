// The report as one page: a template, its style and script, and the data as JSON. Everything that
// comes from the report is in the JSON, which the script shows as text.
#include <fmt/format.h>

#include "report/axes.h"
#include "report/formats.h"
#include "report/html_page.h"
#include "report/html_view.h"
#include "report/svg_canvas.h"

namespace attnroof {
namespace {

/// JSON that cannot end its script element: < is written as \u003c, in strings alone it occurs.
std::string in_script(const std::string& json) {
    std::string out;
    out.reserve(json.size());
    for (const char c : json) c == '<' ? out += "\\u003c" : out += c;
    return out;
}

/// The template with every {{name}} replaced, in one pass: what is put in is not searched.
std::string fill(std::string_view page,
                 const std::vector<std::pair<std::string_view, std::string>>& values) {
    std::string out;
    for (std::size_t open; (open = page.find("{{")) != page.npos;) {
        const std::size_t close = page.find("}}", open);
        const std::string_view key = page.substr(open + 2, close - open - 2);
        out += page.substr(0, open);
        for (const auto& [name, value] : values)
            if (name == key) out += value;
        page.remove_prefix(close + 2);
    }
    return out.append(page);
}

}  // namespace

std::string to_html(const Report& report) {
    constexpr auto replace = nlohmann::json::error_handler_t::replace;  // not UTF-8: U+FFFD
    const nlohmann::ordered_json view = html_view(report);
    return fill(page_template(), {{"title", xml_text(report_title(report))},
                                  {"style", page_style()},
                                  {"report", in_script(to_json(report))},
                                  {"view", in_script(view.dump(-1, ' ', false, replace))},
                                  {"script", page_script()}});
}

}  // namespace attnroof
