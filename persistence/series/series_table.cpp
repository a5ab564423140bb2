#include "persistence/series/series_table.hpp"

#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"
#include "persistence/sql/sql_time.hpp"
#include "schema/text/iso8601.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <stdexcept>

namespace jobstrand::persistence {

namespace {

using schema::Series;

constexpr std::string_view kInsert = R"sql(INSERT INTO JS_SERIES ({columns}) VALUES {rows})sql";

constexpr std::string_view kInsertOrUpdate = R"sql(
    INSERT INTO JS_SERIES ({columns}) VALUES {rows}
    {on_existing} {assignments})sql";

constexpr std::string_view kLock = R"sql(
    SELECT {columns}
    FROM JS_SERIES {by_id}
    WHERE ID_ IN (...)
    ORDER BY ID_
    {for_update})sql";

// Shared with other readers, but not with who changes one: the turns that are computed here either
// wait for the change, or the change finds them.
constexpr std::string_view kCalendars = R"sql(
    SELECT ID_, TEXT_
    FROM JS_CALENDAR
    ORDER BY ID_
    {for_share})sql";

/// Rows of one statement.
constexpr std::array<std::size_t, 3> kRowsPerStatement{32, 8, 1};

/// Some columns of the table, the key first, and what a series has in them.
struct WrittenColumns {
    std::span<const std::string_view> names;
    void (*append)(std::vector<Value>& values, const Series& series);
};

WrittenColumns all_columns() {
    return {series_column_names(), append_series_row};
}

std::string placeholder_rows(std::size_t rows, std::size_t columns) {
    std::string all;
    for (std::size_t row = 0; row < rows; ++row) {
        all += row == 0 ? "(?" : ", (?";
        for (std::size_t column = 1; column < columns; ++column) {
            all += ", ?";
        }
        all += ')';
    }
    return all;
}

/// One that somebody else's SQL wrote may be no integer, or the last one that the column holds.
constexpr std::string_view kRaiseRevision =
    "REV_ = CASE WHEN JS_SERIES.REV_ < 2000000000 THEN JS_SERIES.REV_ + 1 ELSE 1 END";

/// `X_ = excluded.X_, ...` for all columns but the key.
std::string assignments(const Dialect& dialect, std::span<const std::string_view> columns) {
    std::string all;
    for (const std::string_view column : columns.subspan(1)) {
        all += all.empty() ? "" : ", ";
        all += column;
        all += " = ";
        all += fmt::format(fmt::runtime(dialect.new_value), column);
    }
    return fmt::format("{}, {}", all, kRaiseRevision);
}

void write_rows(
    Transaction& transaction,
    std::string_view sql,
    const WrittenColumns& columns,
    std::span<const Series> series
) {
    const Dialect& dialect = transaction.dialect();
    in_parts(series, kRowsPerStatement, [&](std::span<const Series> part) {
        std::vector<Value> values;
        for (const Series& one : part) {
            columns.append(values, one);
        }
        const std::string text = fmt::format(
            fmt::runtime(sql),
            fmt::arg("columns", fmt::join(columns.names, ", ")),
            fmt::arg("rows", placeholder_rows(part.size(), columns.names.size())),
            fmt::arg("on_existing", on_existing(dialect, "ID_")),
            fmt::arg("assignments", assignments(dialect, columns.names))
        );
        transaction.execute(text, values);
    });
}

}  // namespace

void insert_series(Transaction& transaction, std::span<const Series> series) {
    write_rows(transaction, kInsert, all_columns(), series);
}

SeriesByKey series_for_update(Transaction& transaction, std::span<const std::string_view> keys) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kLock,
        fmt::arg("columns", series_columns()),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("for_update", dialect.for_update)
    );
    SeriesByKey found;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = keys})) {
        transaction.query(
            {.sql = text, .columns = series_column_count()},
            parameters,
            [&](const Row& row) {
                SeriesRow read = read_series_row(row);
                found.emplace(read.series.key, std::move(read));
            }
        );
    }
    return found;
}

std::optional<Series> series_for_update(Transaction& transaction, std::string_view key) {
    SeriesByKey found = series_for_update(transaction, std::span(&key, 1));
    return found.empty() ? std::nullopt : std::optional(std::move(found.begin()->second.series));
}

void update_series(Transaction& transaction, std::span<const Series> series) {
    write_rows(transaction, kInsertOrUpdate, all_columns(), series);
}

void update_progress(Transaction& transaction, std::span<const Series> series) {
    const WrittenColumns columns{series_progress_columns(), append_series_progress};
    write_rows(transaction, kInsertOrUpdate, columns, series);
}

schema::CalendarTexts read_calendars(Transaction& transaction) {
    schema::CalendarTexts calendars;
    const std::string sql =
        fmt::format(kCalendars, fmt::arg("for_share", transaction.dialect().for_share));
    transaction.query({.sql = sql, .columns = 2}, {}, [&](const Row& row) {
        calendars.emplace(row.text(0), row.text(1));
    });
    return calendars;
}

bool is_storable(const Series& series, const Dialect& dialect) {
    constexpr schema::TimePoint kFirst = schema::kEarliestInstant + std::chrono::days{1};
    for (const auto& time : {series.start, series.end, series.next_fire}) {
        if (time && (*time < kFirst || *time > dialect.latest_time)) {
            return false;
        }
    }
    return true;
}

void require_storable(const Series& series, const Dialect& dialect) {
    if (!is_storable(series, dialect)) {
        throw std::invalid_argument(fmt::format(
            "the series \"{}\" begins, ends or is due outside of 1970-01-02 to {}, which {} holds",
            series.key,
            schema::format_instant(dialect.latest_time),
            dialect.name
        ));
    }
}

std::string describe(const schema::ParseError& error, const Series& series) {
    return error.position == 0 ? fmt::format("repeat \"{}\": {}", series.repeat, error.message)
                               : fmt::format(
                                     "repeat \"{}\" at position {}: {}",
                                     series.repeat,
                                     error.position,
                                     error.message
                                 );
}

}  // namespace jobstrand::persistence
