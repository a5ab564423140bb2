#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <optional>

namespace jobstrand::persistence {

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
