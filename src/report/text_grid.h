// Aligned columns of text for a terminal.
#pragma once

#include <string>
#include <vector>

namespace attnroof {

struct GridColumn {
    std::string head;
    bool right = true;   // numbers
    int importance = 9;  // the lowest goes first when the grid is too wide
};

/// One line. A `note` takes the place of the cells from the first empty one on.
struct GridRow {
    std::vector<std::string> cells;
    std::string note;
    std::string style;  // an ANSI sequence for the whole line, or nothing
};

/// Lays the rows out, two spaces between columns. `width` 0 means no limit; else columns are left
/// out until the rest fits and notes wrap. Head and rows are styled only when `colour`. Text from a
/// file is made printable: it moves no cursor and sets no colour.
std::string layout_grid(std::vector<GridColumn> columns, std::vector<GridRow> rows, int width,
                        bool colour);

/// Printable text broken at spaces into lines of at most `width` columns (0: one line), the second
/// and later ones indented.
std::vector<std::string> wrap(const std::string& text, int width, int indent);

}  // namespace attnroof
