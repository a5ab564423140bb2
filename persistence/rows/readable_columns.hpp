#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/unreadable_value.hpp"
#include "schema/time.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

/// Rows that somebody else's SQL wrote may hold in a column what it cannot mean. Whoever reads such
/// a row has all the rest of it, and says what is wrong.
namespace jobstrand::persistence {

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
