#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/series.hpp"
#include "schema/text/parsing.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The only mapping between schema::Series and the rows of JS_SERIES.
namespace jobstrand::persistence {

/// ID_ first.
[[nodiscard]] std::span<const std::string_view> series_column_names();
[[nodiscard]] std::size_t series_column_count();

/// The columns as a list for a statement, each behind `prefix`: `S.ID_, S.GROUP_, ...`.
[[nodiscard]] std::string series_columns(std::string_view prefix = "");

/// Appends the values of a row, in column order. The texts are borrowed from `series`.
void append_series_row(std::vector<Value>& values, const schema::Series& series);

/// The columns that each turn changes, ID_ first.
[[nodiscard]] std::span<const std::string_view> series_progress_columns();

/// Appends their values, in their order. The texts are borrowed from `series`.
void append_series_progress(std::vector<Value>& values, const schema::Series& series);

/// Whether the other columns are the same.
[[nodiscard]] bool do_only_turns_differ(const schema::Series& one, const schema::Series& other);

/// A series as its row has it.
struct SeriesRow {
    schema::Series series;

    /// Names each column that holds what it cannot mean, and its value; the series then has what a
    /// new one has there. Empty: all is as it should be.
    std::string complaint = {};

    [[nodiscard]] bool is_readable() const { return complaint.empty(); }
};

/// Reads a row whose first columns are these. What is NULL although it has a meaning reads as the
/// default of Series.
[[nodiscard]] SeriesRow read_series_row(const Row& row);

// Rows of JS_SERIES and JS_CALENDAR. Give keys and series in ascending order: transactions that
// read for update in one order do not deadlock. A transaction reads jobs before series.

using SeriesByKey = std::map<std::string, SeriesRow, std::less<>>;

/// Throws DbError duplicate_key when a key exists.
void insert_series(Transaction& transaction, std::span<const schema::Series> series);

/// Reads rows that nobody else changes until the transaction ends. Keys that are not there are left
/// out.
[[nodiscard]] SeriesByKey
series_for_update(Transaction& transaction, std::span<const std::string_view> keys);

/// The same for one, whose row will be written: what cannot be read is then what a new series has.
[[nodiscard]] std::optional<schema::Series>
series_for_update(Transaction& transaction, std::string_view key);

/// Writes all columns of rows that this transaction has read for update, many in one statement.
void update_series(Transaction& transaction, std::span<const schema::Series> series);

/// The same for rows of which only a turn has changed something: see do_only_turns_differ().
void update_progress(Transaction& transaction, std::span<const schema::Series> series);

/// All of them: there are few, and one may be based on another.
[[nodiscard]] schema::CalendarTexts read_calendars(Transaction& transaction);

/// The last instant that START_, END_ and the fire times hold is Dialect::latest_time; the first is
/// a day after 1970 began, because MySQL's timestamp has no zero.
[[nodiscard]] bool is_storable(const schema::Series& series, const Dialect& dialect);

/// Throws std::invalid_argument when it is not.
void require_storable(const schema::Series& series, const Dialect& dialect);

/// What is wrong with the texts of a series, for the person who wrote them.
[[nodiscard]] std::string describe(const schema::ParseError& error, const schema::Series& series);

}  // namespace jobstrand::persistence
