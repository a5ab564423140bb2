#pragma once

#include "schema/expression/expression_value.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// A name in an object, or the number of an item of a list, as text.
using JsonPath = std::span<const std::string>;

/// What stands in a JSON text at a path. nullopt: a name or an item on the way is not there. Of two
/// members with one name the first counts.
///
/// The text is read once from the left, without recursion and without a copy of it. What is behind
/// the value is not looked at. Throws std::invalid_argument where what it reads is not JSON.
[[nodiscard]] std::optional<ExpressionValue> find_in_json(std::string_view json, JsonPath path);

}  // namespace jobstrand::schema
