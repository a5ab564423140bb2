#include "tools/output/table_fit.hpp"

#include <algorithm>

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::size_t line_width(const std::vector<std::size_t>& widths, std::size_t gap) {
    std::size_t line = 0;
    for (const std::size_t width : widths) {
        if (width > 0) {
            line += (line > 0 ? gap : 0) + width;
        }
    }
    return line;
}

/// The shown column that is missed least; the number of columns when none may go.
[[nodiscard]] std::size_t
least_useful(const std::vector<ColumnNeed>& needs, const std::vector<std::size_t>& widths) {
    std::size_t found = needs.size();
    int rank = 1;
    for (std::size_t i = 0; i < needs.size(); ++i) {
        if (widths[i] > 0 && needs[i].rank >= rank) {
            found = i;
            rank = needs[i].rank;
        }
    }
    return found;
}

}  // namespace

std::vector<std::size_t>
fitted(const std::vector<ColumnNeed>& needs, std::size_t columns, std::size_t gap) {
    std::vector<std::size_t> widths;
    for (const ColumnNeed& need : needs) {
        widths.push_back(std::min(need.width, need.least));
    }
    while (line_width(widths, gap) > columns) {
        const std::size_t column = least_useful(needs, widths);
        if (column == needs.size()) {
            return widths;
        }
        widths[column] = 0;
    }
    std::size_t spare = columns - line_width(widths, gap);
    for (std::size_t i = 0; i < needs.size(); ++i) {
        if (widths[i] > 0) {
            const std::size_t more = std::min(spare, needs[i].width - widths[i]);
            widths[i] += more;
            spare -= more;
        }
    }
    return widths;
}

}  // namespace jobstrand::cli
