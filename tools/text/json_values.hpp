#pragma once

#include "schema/text/parse_result.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

/// Whether texts are JSON, and of which kind. No document is built in memory, which would take many
/// times the room of its text.
namespace jobstrand::cli {

/// What keeps a text from being one JSON value, with the position; empty: it is one. Values that
/// are nested deeper than limits::kJsonDepth are refused.
[[nodiscard]] std::string problem_of_json(std::string_view text);

/// Whether a character is the same within a JSON string as outside of it, and needs no look at
/// those beside it. Most texts have no others.
[[nodiscard]] constexpr bool stands_for_itself(char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

/// The text of a JSON string value; an error for any other kind of value.
[[nodiscard]] schema::ParseResult<std::string> string_of(std::string_view json);

/// No bound but that of the text.
inline constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max() - 1;

/// The items of a JSON array of strings; an error for anything else. Where there are more than
/// `most` it ends with one more, so that a long text costs no more than that.
[[nodiscard]] schema::ParseResult<std::vector<std::string>>
strings_of(std::string_view json, std::size_t most = kAnyNumber);

}  // namespace jobstrand::cli
