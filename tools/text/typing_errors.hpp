#pragma once

#include "schema/text/parsing.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// `at character 3: expected a month`: where a text cannot be read, and why.
[[nodiscard]] std::string with_place(const std::string& text, const schema::ParseError& error);

/// The same, and below it the text with a mark under the character; long texts are left out.
[[nodiscard]] std::string with_mark(const std::string& text, const schema::ParseError& error);

/// The fewest characters to insert, delete, replace or swap, upper and lower case being equal.
[[nodiscard]] std::size_t edits_between(std::string_view a, std::string_view b);

/// The name that a misspelt one most probably means: the one with the fewest characters to insert,
/// delete, replace or swap, upper and lower case being equal. The first of several; empty when
/// there are no names.
[[nodiscard]] std::string_view
nearest_name(std::string_view misspelt, std::span<const std::string_view> names);

}  // namespace jobstrand::cli
