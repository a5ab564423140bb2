#pragma once

#include "schema/text/parse_result.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A list of names as one text, one name a line: a column has it so, and a statement can ask
/// whether a name is among them.
namespace jobstrand::schema {

/// An error for a name that is empty or has a line break, which no list can have.
[[nodiscard]] ParseResult<std::string> joined_names(std::span<const std::string> names);

/// Empty lines, which plain SQL may write, are no names.
[[nodiscard]] std::vector<std::string> names_in(std::string_view list);

}  // namespace jobstrand::schema
