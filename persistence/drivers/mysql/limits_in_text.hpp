#pragma once

#include "persistence/sql/connection.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A statement whose numbers behind LIMIT and OFFSET stand in its text, and the parameters that are
/// left. Both borrow from what they were made of.
struct PlainStatement {
    std::string sql;
    std::vector<Value> parameters;
};

/// Throws std::logic_error if a parameter is missing, or one behind LIMIT or OFFSET is no number.
[[nodiscard]] PlainStatement
with_limits_in_text(std::string_view sql, std::span<const Value> parameters);

}  // namespace jobstrand::persistence
