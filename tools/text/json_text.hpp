#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// JSON as it is read and written: whether texts are JSON, and what their values are. No document
/// is built in memory, which would take many times the room of its text.
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

/// The text as a JSON string, quotes included. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_string(std::string_view text);

/// A JSON value on one line, otherwise as it was written. Precondition: it is JSON.
[[nodiscard]] std::string on_one_line(std::string_view json);

/// One `"name": value` of a JSON object. The value is the text as written, so that numbers keep
/// every digit and objects their order.
struct JsonMember {
    std::string name;
    std::string_view value;
};

/// The members of a JSON object, in their order. Not JSON, not an object, more than `most`, or a
/// name given twice: an error.
[[nodiscard]] schema::ParseResult<std::vector<JsonMember>>
members_of(std::string_view text, std::size_t most = kAnyNumber);

/// The items of a JSON array as they are written. Not JSON, or not an array: an error. Where there
/// are more than `most` it ends with one more, so that a long text costs no more than that.
[[nodiscard]] schema::ParseResult<std::vector<std::string_view>>
items_of(std::string_view text, std::size_t most = kAnyNumber);

/// As members_of() and items_of(), of a value that one of them has given: it is known to be JSON,
/// and is not looked through again.
[[nodiscard]] schema::ParseResult<std::vector<JsonMember>>
members_of_value(std::string_view json, std::size_t most = kAnyNumber);
[[nodiscard]] schema::ParseResult<std::vector<std::string_view>>
items_of_value(std::string_view json, std::size_t most = kAnyNumber);

// Read the value of a JSON member, as it was written. Each returns what is wrong, to stand behind
// the member's name ("must be a string"); empty: nothing, and the value is in the last parameter.

[[nodiscard]] std::string read_text(std::string_view value, std::string& text);
[[nodiscard]] std::string read_flag(std::string_view value, bool& flag);

[[nodiscard]] std::string read_whole_number(
    std::string_view value,
    std::int64_t least,
    std::int64_t most,
    std::int64_t& number
);

/// See schema::parse_instant.
[[nodiscard]] std::string
read_instant(std::string_view value, std::optional<schema::TimePoint>& instant);

/// See schema::parse_duration; a text.
[[nodiscard]] std::string
read_duration(std::string_view value, std::optional<schema::Duration>& duration);

}  // namespace jobstrand::cli
