#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/series.hpp"
#include "schema/text/parse_result.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Rows of JS_SERIES and JS_CALENDAR. Give keys and series in ascending order: transactions that
/// lock rows in one order do not deadlock. A transaction locks job rows before series.
namespace jobstrand::persistence {

using SeriesByKey = std::map<std::string, schema::Series, std::less<>>;

/// Throws DbError duplicate_key when a key exists.
void insert_series(Transaction& transaction, std::span<const schema::Series> series);

/// Reads rows and locks them until the transaction ends. Keys that are not there are left out.
[[nodiscard]] SeriesByKey
lock_series(Transaction& transaction, std::span<const std::string_view> keys);
[[nodiscard]] std::optional<schema::Series>
lock_series(Transaction& transaction, std::string_view key);

/// Writes all columns of rows that this transaction has locked, many in one statement.
void update_series(Transaction& transaction, std::span<const schema::Series> series);

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
