#pragma once

#include "persistence/sql/connection.hpp"

namespace jobstrand::persistence {

/// Whether the times of this database end so early that due dates may be refused (see
/// Dialect::latest_time), and make_times_last() has a type for them that does not.
[[nodiscard]] bool have_times_an_early_end(const Connection& connection);

/// Gives all times of our tables the type that lasts. All rows are kept, and written anew, so that
/// writers wait. Connections that are open go on with the old end.
///
/// false: they last already. Throws DbError.
bool make_times_last(Connection& connection);

}  // namespace jobstrand::persistence
