#pragma once

#include "tools/output/output_style.hpp"
#include "tools/output/record.hpp"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

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
/// short_ids.hpp says when they are in the way, and a last line names the columns that had no room.
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
