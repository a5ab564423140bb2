#include "tools/output/table.hpp"

#include "tools/text/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

namespace jobstrand::cli {

namespace {

[[nodiscard]] std::size_t common_length(std::string_view a, std::string_view b) {
    const auto [end, other] = std::ranges::mismatch(a, b);
    return static_cast<std::size_t>(end - a.begin());
}

/// `id` is in `sorted`, so its neighbours there have most in common with it.
[[nodiscard]] std::size_t
unique_length(const std::string& id, const std::vector<std::string>& sorted) {
    const auto [first, last] = std::ranges::equal_range(sorted, id);
    std::size_t length = kShortIdLeast;
    if (first != sorted.begin()) {
        length = std::max(length, common_length(id, *std::prev(first)) + 1);
    }
    if (last != sorted.end()) {
        length = std::max(length, common_length(id, *last) + 1);
    }
    return length;
}

}  // namespace

std::vector<std::string> shortened(const std::vector<std::string>& ids) {
    std::vector<std::string> sorted = ids;
    std::ranges::sort(sorted);
    std::vector<std::string> all;
    for (const std::string& id : ids) {
        const std::size_t length = unique_length(id, sorted);
        all.push_back(length + 1 < id.size() ? id.substr(0, length).append(kShortMark) : id);
    }
    return all;
}

std::string_view beginning_of(std::string_view id) {
    for (const std::string_view mark : std::array{kShortMark, kTypedShortMark}) {
        if (id.ends_with(mark)) {
            return id.substr(0, id.size() - mark.size());
        }
    }
    return {};
}

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

constexpr std::string_view kColumnGap = "  ";

[[nodiscard]] const RecordField* field_of(const Record& record, std::string_view name) {
    const auto found = std::ranges::find(record, name, &RecordField::name);
    return found == record.end() ? nullptr : &*found;
}

[[nodiscard]] std::string cell_text(const RecordField& field, const OutputStyle& style) {
    if (field.time && style.now) {
        return relative_time(*field.time, *style.now);
    }
    const bool is_grouped = field.is_number && style.columns;
    return is_grouped ? grouped(field.text) : printable(field.text);
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

void Table::add(const Record& record, const OutputStyle& style) {
    Row row;
    for (const TableColumn& column : columns_) {
        const RecordField* const field = field_of(record, column.field);
        if (field == nullptr) {
            row.emplace_back();
            continue;
        }
        std::string text = cell_text(*field, style);
        row.push_back(
            {.text = cut_to_width(std::move(text), column.width_max), .is_number = field->is_number}
        );
    }
    rows_.push_back(std::move(row));
}

void Table::write(std::ostream& out, const OutputStyle& style) {
    shorten_ids(style);
    const std::vector<std::size_t> width = widths(style);
    out << line_of(heading_row(), true, width, style) << '\n';
    for (const Row& row : rows_) {
        out << line_of(row, false, width, style) << '\n';
    }
    const std::string names = names_without_room(width);
    if (style.columns && !names.empty()) {
        out << in_tone(Tone::quiet, cut_to_width("no room: " + names, *style.columns), style)
            << '\n';
    }
}

void Table::shorten_ids(const OutputStyle& style) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!columns_[i].is_job_id || !is_too_wide(style)) {
            continue;
        }
        std::vector<std::string> ids;
        std::ranges::transform(rows_, std::back_inserter(ids), [i](const Row& row) {
            return row[i].text;
        });
        const std::vector<std::string> texts = shortened(ids);
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            rows_[row][i].text = texts[row];
        }
    }
}

bool Table::is_too_wide(const OutputStyle& style) const {
    std::size_t width = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::size_t column = natural_width(i, style);
        width += column > 0 ? column + kColumnGap.size() : 0;
    }
    return style.columns && width > *style.columns + kColumnGap.size();
}

std::string Table::line_of(
    const Row& row,
    bool is_heading,
    const std::vector<std::size_t>& widths,
    const OutputStyle& style
) const {
    std::string line;
    std::string blanks;  // Written only when something follows.
    for (std::size_t i = 0; i < row.size(); ++i) {
        const std::string text = cut_to_width(row[i].text, widths[i]);
        const std::string pad(widths[i] - std::min(widths[i], width_of(text)), ' ');
        const bool is_right = is_right_aligned(i, style);
        if (widths[i] == 0) {
            continue;
        }
        if (is_right) {
            blanks += pad;
        }
        if (!text.empty()) {
            const Tone tone = is_heading ? Tone::heading : tone_of(i, row[i].text);
            line += std::exchange(blanks, {}) + in_tone(tone, text, style);
        }
        blanks += is_right ? "" : pad;
        blanks += kColumnGap;
    }
    return line;
}

Table::Row Table::heading_row() const {
    Row row;
    for (const TableColumn& column : columns_) {
        row.push_back({.text = std::string(column.heading)});
    }
    return row;
}

bool Table::has_value(std::size_t column) const {
    return std::ranges::any_of(rows_, [column](const Row& row) {
        return !row[column].text.empty();
    });
}

std::size_t Table::natural_width(std::size_t column, const OutputStyle& style) const {
    const bool is_dispensable = columns_[column].is_optional ||
                                (style.columns && columns_[column].rank > 0 && !rows_.empty());
    if (is_dispensable && !has_value(column)) {
        return 0;
    }
    std::size_t width = width_of(columns_[column].heading);
    for (const Row& row : rows_) {
        width = std::max(width, width_of(row[column].text));
    }
    return width;
}

// 0: the column is left out.
std::vector<std::size_t> Table::widths(const OutputStyle& style) const {
    std::vector<ColumnNeed> needs;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const TableColumn& column = columns_[i];
        const std::size_t width = natural_width(i, style);
        needs.push_back({
            .width = width,
            .least = column.width_least > 0
                         ? std::min(width, std::max(column.width_least, column.heading.size()))
                         : width,
            .rank = column.rank,
        });
    }
    constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();
    return fitted(needs, style.columns.value_or(kUnbounded), kColumnGap.size());
}

bool Table::is_right_aligned(std::size_t column, const OutputStyle& style) const {
    return style.columns && has_value(column) &&
           std::ranges::all_of(rows_, [column](const Row& row) {
               return row[column].is_number || row[column].text.empty();
           });
}

Tone Table::tone_of(std::size_t column, const std::string& text) const {
    const Tone tone = columns_[column].tone;
    // The first column is what a row is about, and no news about it.
    return tone == Tone::plain && column > 0 ? tone_of_word(text) : tone;
}

std::string Table::names_without_room(const std::vector<std::size_t>& widths) const {
    std::string names;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (widths[i] == 0 && has_value(i)) {
            names += names.empty() ? "" : ", ";
            names += columns_[i].heading;
        }
    }
    return names;
}

}  // namespace jobstrand::cli
