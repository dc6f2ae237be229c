// Columns that line up: a heading row, then rows of as many cells.
#pragma once

#include <string>
#include <vector>

namespace attnroof {

enum class Align { left, right };

struct Column {
    std::string heading;
    Align align = Align::left;
};

/// One line a row, two spaces between columns, no spaces at line ends.
std::string text_table(const std::vector<Column>& columns,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace attnroof
