#pragma once

#include "schema/text/parse_result.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Whether texts are JSON, and of which kind. No document is built in memory, which would take many
/// times the room of its text.
namespace jobstrand::cli {

/// What keeps a text from being one JSON value, with the position; empty: it is one. Values that
/// are nested deeper than limits::kJsonDepth are refused.
[[nodiscard]] std::string problem_of_json(std::string_view text);

/// The text of a JSON string value; an error for any other kind of value.
[[nodiscard]] schema::ParseResult<std::string> string_of(std::string_view json);

/// The items of a JSON array of strings; an error for anything else.
[[nodiscard]] schema::ParseResult<std::vector<std::string>> strings_of(std::string_view json);

}  // namespace jobstrand::cli
