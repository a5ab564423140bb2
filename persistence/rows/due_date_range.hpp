#pragma once

#include "schema/database_kind.hpp"
#include "schema/time.hpp"

#include <optional>

namespace jobstrand::persistence {

/// The last instant that a DUEDATE_ column holds: on MySQL and MariaDB a timestamp ends with
/// 2038-01-19T03:14:07.999Z, elsewhere with the year 9999.
[[nodiscard]] schema::TimePoint max_due_date(schema::DatabaseKind kind);

/// Throws std::invalid_argument, with both dates in the message, when somebody asks for a due date
/// that the database cannot hold. It is a mistake in the request, not in the outside world, and
/// refused before anything is written.
void require_storable(std::optional<schema::TimePoint> due_date, schema::DatabaseKind kind);

}  // namespace jobstrand::persistence
