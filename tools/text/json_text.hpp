#pragma once

#include "schema/text/parse_result.hpp"
#include "tools/text/json_values.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
