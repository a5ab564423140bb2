#pragma once

#include <cstddef>
#include <vector>

namespace jobstrand::cli {

/// What a column of a table asks for.
struct ColumnNeed {
    std::size_t width = 0;  ///< Of its widest cell; 0: it is left out.
    std::size_t least = 0;  ///< How far it may be cut: less than `width` for free texts only.
    int rank = 0;           ///< The larger, the sooner it is left out; 0: never.
};

/// The widths of columns that stand `gap` apart in at most `columns`; 0: left out. First free texts
/// are cut; then columns go, the largest rank first, and of equal ones the last; what room is left
/// goes back to the texts, from the left. Columns of rank 0 stay, however wide they are.
[[nodiscard]] std::vector<std::size_t>
fitted(const std::vector<ColumnNeed>& needs, std::size_t columns, std::size_t gap);

}  // namespace jobstrand::cli
