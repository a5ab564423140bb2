#pragma once

#include "persistence/sql/dialect.hpp"
#include "schema/time.hpp"

#include <optional>

namespace jobstrand::persistence {

/// Throws std::invalid_argument, with both dates in the message, when somebody asks for a due date
/// that the database cannot hold. It is a mistake in the request, not in the outside world, and
/// refused before anything is written.
void require_storable(std::optional<schema::TimePoint> due_date, const Dialect& dialect);

}  // namespace jobstrand::persistence
