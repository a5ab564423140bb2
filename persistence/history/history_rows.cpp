#include "persistence/history/history_rows.hpp"

#include "persistence/sql/dialect.hpp"
#include "schema/uuid7.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <variant>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kInsertHistory = R"sql(
    INSERT INTO {table} ({columns})
    VALUES {rows}{behind})sql";

/// Rows of one INSERT.
constexpr std::array<std::size_t, 4> kRowsOfInsert{256, 64, 8, 1};

/// Texts of one INSERT, unless a single row has more: MySQL takes 16 MiB in one packet.
constexpr std::size_t kBytesOfInsert = std::size_t{4} * 1024 * 1024;

bool is_null(const Value& value) {
    return std::holds_alternative<std::nullptr_t>(value);
}

std::size_t bytes_of(std::span<const Value> values) {
    std::size_t bytes = 0;
    for (const Value& value : values) {
        if (const auto* const text = std::get_if<std::string_view>(&value)) {
            bytes += text->size();
        }
    }
    return bytes;
}

std::string placeholder_of(std::string_view column, const Dialect& dialect) {
    return column == "BYTES_" ? std::string(dialect.bytes_parameter) : "?";
}

/// Which columns some row uses.
std::vector<std::size_t> used_columns(std::span<const Value> values, std::size_t columns) {
    std::vector<std::size_t> used;
    for (std::size_t column = 0; column < columns; ++column) {
        for (std::size_t i = column; i < values.size(); i += columns) {
            if (!is_null(values[i])) {
                used.push_back(column);
                break;
            }
        }
    }
    return used;
}

void insert_part(Transaction& transaction, const NewRows& rows, std::span<const Value> values) {
    const std::size_t width = rows.columns.size();
    const std::vector<std::size_t> used = used_columns(values, width);
    std::vector<std::string_view> names;
    std::vector<std::string> marks;
    for (const std::size_t column : used) {
        names.push_back(rows.columns[column]);
        marks.push_back(placeholder_of(rows.columns[column], transaction.dialect()));
    }
    std::vector<Value> parameters;
    parameters.reserve(values.size() / width * used.size());
    for (std::size_t row = 0; row < values.size(); row += width) {
        for (const std::size_t column : used) {
            parameters.push_back(values[row + column]);
        }
    }
    const std::vector<std::string> texts(
        values.size() / width, fmt::format("({})", fmt::join(marks, ", "))
    );
    transaction.execute(
        fmt::format(
            kInsertHistory,
            fmt::arg("table", rows.table),
            fmt::arg("columns", fmt::join(names, ", ")),
            fmt::arg("rows", fmt::join(texts, ", ")),
            fmt::arg("behind", rows.behind)
        ),
        parameters
    );
}

/// How many of the rows go into the next statement.
std::size_t rows_of_part(std::span<const Value> values, std::size_t width) {
    const std::size_t rows = values.size() / width;
    const auto fits = [&](std::size_t some) {
        return some <= rows && bytes_of(values.first(some * width)) <= kBytesOfInsert;
    };
    const auto* const found = std::ranges::find_if(kRowsOfInsert, fits);
    return found == kRowsOfInsert.end() ? 1 : *found;
}

}  // namespace

void insert_history(Transaction& transaction, const NewRows& rows) {
    const std::size_t width = rows.columns.size();
    for (std::span<const Value> rest = rows.values; !rest.empty();) {
        const std::size_t values = rows_of_part(rest, width) * width;
        insert_part(transaction, rows, rest.first(values));
        rest = rest.subspan(values);
    }
}

schema::TimePoint storable(schema::TimePoint time, const Dialect& dialect) {
    return std::clamp(time, dialect.earliest_time, dialect.latest_time);
}

void HistoryConditions::add_equal(std::string_view column, std::string_view text) {
    if (!text.empty()) {
        add(fmt::format("{} = ?", column), text);
    }
}

void HistoryConditions::add_one_of(std::string_view column, const std::vector<std::string>& texts) {
    if (texts.size() < 2) {
        add_equal(column, texts.empty() ? std::string_view() : std::string_view(texts.front()));
        return;
    }
    std::string places;
    for (const std::string& text : texts) {
        places += places.empty() ? "?" : ", ?";
        parameters_.emplace_back(std::string_view(text));
    }
    add(fmt::format("{} IN ({})", column, places));
}

void HistoryConditions::add_period(
    std::string_view column,
    const std::optional<schema::TimePoint>& after,
    const std::optional<schema::TimePoint>& before
) {
    if (after) {
        add(fmt::format("{} >= ?", column), *after);
    }
    if (before) {
        add(fmt::format("{} < ?", column), *before);
    }
}

std::string HistoryConditions::text() const {
    return sql_.empty() ? "1 = 1" : fmt::format("{}", fmt::join(sql_, " AND "));
}

std::string first_id_of(schema::TimePoint time) {
    constexpr std::size_t kTimeLength = 13;  // Twelve digits of milliseconds, and a dash.
    const auto since_1970 = std::max(time, schema::TimePoint{});
    return schema::Uuid7Source(0).next(since_1970).substr(0, kTimeLength);
}

}  // namespace jobstrand::persistence
