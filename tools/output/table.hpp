#pragma once

#include "tools/output/output_style.hpp"
#include "tools/output/record.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

// Ids in a table that is too narrow for them: the beginning, and a mark that no id of a job holds.

/// Behind the beginning of an id; the second one is easier to type.
inline constexpr std::string_view kShortMark = "…";
inline constexpr std::string_view kTypedShortMark = "...";

/// At least so much of an id stays: of a UUID of version 7 the time and the counter, which no other
/// id of the same producer has (RFC 9562, 5.7 and 6.2).
inline constexpr std::size_t kShortIdLeast = 18;

/// Each id cut to the first characters that no other one of them begins with, with kShortMark;
/// whole where that is no shorter.
[[nodiscard]] std::vector<std::string> shortened(const std::vector<std::string>& ids);

/// What stands before the mark; empty: `id` is whole.
[[nodiscard]] std::string_view beginning_of(std::string_view id);

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

/// A column of a table: the field, and how wide it may grow. Longer values are cut; the other
/// formats have them whole.
struct TableColumn {
    std::string_view field = {};
    std::string_view heading = {};
    std::size_t width_max = 40;
    bool is_optional = false;  ///< Left out when no row has a value.
    bool is_job_id = false;    ///< Shortened on a terminal that has no room for all columns.

    /// The larger, the sooner it is left out of a narrow terminal; 0: never, and never cut there:
    /// what a verb is given, such as a key.
    int rank = 0;

    /// Of a free text: how far a narrow terminal may cut it. 0: not at all.
    std::size_t width_least = 0;

    /// Of all values; `plain` leaves it to tone_of_word(), but in the first column.
    Tone tone = Tone::plain;
};

/// Rows that are written when all are there, because the widths depend on all of them. On a
/// terminal a table is no wider than it, columns of any rank but 0 without a value are left out,
/// numbers stand at the right and in groups of three digits, ids of jobs are as short as
/// shortened() makes them when they are in the way, and a last line names the columns that had no
/// room.
class Table final {
public:
    /// `columns` must outlive it.
    explicit Table(const std::vector<TableColumn>& columns) : columns_(columns) {}

    void add(const Record& record, const OutputStyle& style);
    void write(std::ostream& out, const OutputStyle& style);

private:
    struct Cell {
        std::string text;
        bool is_number = false;
    };
    using Row = std::vector<Cell>;

    [[nodiscard]] std::string line_of(
        const Row& row,
        bool is_heading,
        const std::vector<std::size_t>& widths,
        const OutputStyle& style
    ) const;
    void shorten_ids(const OutputStyle& style);
    [[nodiscard]] bool is_too_wide(const OutputStyle& style) const;
    [[nodiscard]] Row heading_row() const;
    [[nodiscard]] bool has_value(std::size_t column) const;
    [[nodiscard]] std::size_t natural_width(std::size_t column, const OutputStyle& style) const;
    [[nodiscard]] std::vector<std::size_t> widths(const OutputStyle& style) const;
    [[nodiscard]] bool is_right_aligned(std::size_t column, const OutputStyle& style) const;
    [[nodiscard]] Tone tone_of(std::size_t column, const std::string& text) const;
    [[nodiscard]] std::string names_without_room(const std::vector<std::size_t>& widths) const;

    const std::vector<TableColumn>& columns_;
    std::vector<Row> rows_;
};

}  // namespace jobstrand::cli
