#include "report/text_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/words.h"

namespace attnroof {
namespace {

constexpr int gap = 2;
constexpr const char* bold = "\x1b[1m";
constexpr const char* reset = "\x1b[0m";

int size_of(const std::string& text) { return static_cast<int>(text.size()); }

std::vector<int> widths_of(const std::vector<GridColumn>& columns,
                           const std::vector<GridRow>& rows) {
    std::vector<int> widths;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        int width = size_of(columns[i].head);
        for (const GridRow& row : rows) width = std::max(width, size_of(row.cells[i]));
        widths.push_back(width);
    }
    return widths;
}

int total(const std::vector<int>& widths) {
    int sum = -gap;
    for (int width : widths) sum += width + gap;
    return sum;
}

void drop_least_important(std::vector<GridColumn>& columns, std::vector<GridRow>& rows) {
    const auto least = std::min_element(
        columns.begin(), columns.end(),
        [](const GridColumn& a, const GridColumn& b) { return a.importance < b.importance; });
    const auto index = least - columns.begin();
    columns.erase(least);
    for (GridRow& row : rows) row.cells.erase(row.cells.begin() + index);
}

std::string line_of(const std::vector<GridColumn>& columns, const std::vector<int>& widths,
                    const std::vector<std::string>& cells, std::size_t count) {
    std::string line;
    for (std::size_t i = 0; i < count; ++i) {
        line.append(i == 0 ? 0 : gap, ' ');
        line += columns[i].right ? fmt::format("{:>{}}", cells[i], widths[i])
                                 : fmt::format("{:<{}}", cells[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/// Cells before the note: up to the last that is not empty.
std::size_t cells_before_note(const GridRow& row) {
    std::size_t count = row.cells.size();
    while (!row.note.empty() && count > 0 && row.cells[count - 1].empty()) --count;
    return count;
}

std::string with_note(std::string line, int start, const std::string& note, int width) {
    if (note.empty()) return line;
    line.resize(std::max(line.size(), static_cast<std::size_t>(start)), ' ');
    const int room = width == 0 ? 0 : std::max(width - start, 20);
    std::string margin;
    for (const std::string& part : wrap(note, room, 0)) {
        line += margin + part;
        margin = fmt::format("\n{:{}}", "", start);
    }
    return line;
}

std::string styled(const std::string& line, const std::string& style, bool colour) {
    return colour && !style.empty() ? style + line + reset : line;
}

}  // namespace

std::vector<std::string> wrap(const std::string& given, int width, int indent) {
    const std::string text = printable(given);
    std::vector<std::string> lines;
    std::string line;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, end - at);
        if (width > 0 && !line.empty() && size_of(line) + 1 + size_of(word) > width) {
            lines.push_back(line);
            line = std::string(static_cast<std::size_t>(indent), ' ') + word;
        } else {
            line += line.empty() ? word : " " + word;
        }
        at = end + 1;
    }
    if (!line.empty()) lines.push_back(line);
    return lines;
}

std::string layout_grid(std::vector<GridColumn> columns, std::vector<GridRow> rows, int width,
                        bool colour) {
    for (GridRow& row : rows)
        for (std::string& cell : row.cells) cell = printable(cell);
    std::vector<int> widths = widths_of(columns, rows);
    while (width > 0 && total(widths) > width && columns.size() > 1) {
        drop_least_important(columns, rows);
        widths = widths_of(columns, rows);
    }
    std::vector<std::string> heads;
    for (const GridColumn& column : columns) heads.push_back(column.head);
    std::string out = styled(line_of(columns, widths, heads, heads.size()), bold, colour) + "\n";
    for (const GridRow& row : rows) {
        const std::size_t count = cells_before_note(row);
        int start = 0;
        for (std::size_t i = 0; i < count; ++i) start += widths[i] + gap;
        const std::string line = line_of(columns, widths, row.cells, count);
        out += styled(with_note(line, start, row.note, width), row.style, colour) + "\n";
    }
    return out;
}

}  // namespace attnroof
