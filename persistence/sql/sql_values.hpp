#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/time.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

struct Dialect;

/// A time as the databases take it: `YYYY-MM-DD HH:MM:SS.mmm`, UTC. Texts of this form sort like
/// the times they stand for.
class SqlTime final {
public:
    /// Throws DbError too_long for a year outside 0000 to 9999: no database holds it.
    explicit SqlTime(schema::TimePoint time);

    [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), text_.size()}; }

private:
    std::array<char, 23> text_;
};

/// Reads what stands in a column of times: `YYYY-MM-DD HH:MM:SS`, with a space or a `T` in between;
/// behind it, if any, a fraction of any length (cut to milliseconds), and `Z` or an offset from UTC
/// (`+02:00`, `+0200`, `+02`). Without one it is UTC. nullopt: all else, a date alone too, and what
/// lies outside of the years 0000 to 9999.
[[nodiscard]] std::optional<schema::TimePoint> parse_sql_time(std::string_view text);

/// The same; throws DbError `unreadable` when it is not a time.
[[nodiscard]] schema::TimePoint require_sql_time(std::string_view text);

/// Throws std::invalid_argument, with both dates in the message, when somebody asks for a due date
/// that the database cannot hold. It is a mistake in the request, not in the outside world, and
/// refused before anything is written.
void require_storable(std::optional<schema::TimePoint> due_date, const Dialect& dialect);

/// Bytes as PostgreSQL writes and reads them: `\x` and two hexadecimal digits for each.
[[nodiscard]] std::string hex_text_of(Bytes bytes);

/// The inverse. What does not begin with `\x` is taken as it is.
[[nodiscard]] std::string bytes_of_hex_text(std::string_view text);

/// The bytes that hexadecimal digits alone stand for.
[[nodiscard]] std::string from_hex(std::string_view digits);

/// The error `unreadable` about a value: `"tomorrow" is not a time`. A long value is cut, and what
/// is not UTF-8 in it is replaced.
[[nodiscard]] DbError unreadable_value(std::string_view value, std::string_view what_it_is_not);

// Rows that somebody else's SQL wrote may hold in a column what it cannot mean. Whoever reads such
// a row has all the rest of it, and says what is wrong.

/// Calls `read` with the number of each field's column, in order, also behind one that throws
/// DbError `unreadable`. Returns the complaint: `COLUMN value is not ...`, one after the other;
/// empty: all were read. Other errors go through.
template <typename Fields, typename Read>
[[nodiscard]] std::string read_columns(const Fields& fields, Read read) {
    std::string complaint;
    std::size_t column = 0;
    while (column < fields.size()) {
        // Defended catch: a row that a producer wrote wrong must not stop whoever reads it. Nothing
        // is asked of the values that are right.
        try {
            for (; column < fields.size(); ++column) {
                read(column);
            }
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::unreadable) {
                throw;
            }
            complaint += complaint.empty() ? "" : "; ";
            complaint += fmt::format("{} {}", fields[column++].column, error.what());
        }
    }
    return complaint;
}

/// Throws DbError `unreadable` for a number that is larger than `most`, or smaller than its
/// negative.
[[nodiscard]] inline std::int64_t require_countable(std::int64_t number, std::int64_t most) {
    if (number < -most || number > most) {
        throw unreadable_value(std::to_string(number), "a number that can be counted with");
    }
    return number;
}

/// What an integer that is counted up may hold, so that it never overflows on the way.
inline constexpr std::int64_t kMostToCount = 2'000'000'000;

/// Of a time that plain SQL wrote wrong nothing is known.
[[nodiscard]] inline std::optional<schema::TimePoint>
time_if_readable(const Row& row, std::size_t column) {
    // Defended catch: one odd row must not hide the counts of all others.
    try {
        return row.time(column);
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::unreadable) {
            throw;
        }
        return std::nullopt;
    }
}

}  // namespace jobstrand::persistence
