#pragma once

#include "schema/text/parse_result.hpp"

#include <string>

namespace jobstrand::cli {

/// `at character 3: expected a month`: where a text cannot be read, and why.
[[nodiscard]] std::string with_place(const std::string& text, const schema::ParseError& error);

/// The same, and below it the text with a mark under the character; long texts are left out.
[[nodiscard]] std::string with_mark(const std::string& text, const schema::ParseError& error);

}  // namespace jobstrand::cli
