#include "commands/text_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace attnroof {

std::string text_table(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::string> headings;
    std::vector<std::size_t> widths;
    for (const Column& column : columns) {
        headings.push_back(column.heading);
        widths.push_back(column.heading.size());
    }
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());

    std::string out;
    const auto add_line = [&](const std::vector<std::string>& cells) {
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i)
            line += columns[i].align == Align::left ? fmt::format("{:<{}}  ", cells[i], widths[i])
                                                    : fmt::format("{:>{}}  ", cells[i], widths[i]);
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    };
    add_line(headings);
    for (const auto& row : rows) add_line(row);
    return out;
}

}  // namespace attnroof
