#pragma once

#include "persistence/sql/db_error.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// The error `unreadable` about a value: `"tomorrow" is not a time`. A long value is cut, and what
/// is not UTF-8 in it is replaced.
[[nodiscard]] DbError unreadable_value(std::string_view value, std::string_view what_it_is_not);

}  // namespace jobstrand::persistence
