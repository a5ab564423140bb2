#pragma once

#include "persistence/sql/connection.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A statement whose numbers behind LIMIT and OFFSET stand in its text, and the parameters that are
/// left, which borrow what the given ones borrow.
struct PlainStatement {
    std::string sql;
    std::vector<Value> parameters;
};

/// A text that has other parameters than are given, perhaps because quotes in it are written in a
/// way that is not known here, stays as it is: the server says what is wrong.
[[nodiscard]] PlainStatement
with_limits_in_text(std::string_view sql, std::span<const Value> parameters);

}  // namespace jobstrand::persistence
