#pragma once

#include "schema/text/printable.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::cli {

using schema::printable;
using schema::quoted_if_needed;

/// JSON text whose strings hold no character above ASCII that controls a terminal, breaks a line or
/// turns the direction of reading: these become `\uNNNN`. It means the same as before.
[[nodiscard]] std::string escaped_for_json(std::string_view json);

/// Characters (code points) of UTF-8 text: how a place in it is told.
[[nodiscard]] std::size_t characters_of(std::string_view text);

/// Columns of a terminal that UTF-8 text fills: two for a character of East Asia, none for a mark
/// that combines with the one before it.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// At most `width` columns; a text that is wider ends in `…`.
[[nodiscard]] std::string cut_to_width(std::string text, std::size_t width);

}  // namespace jobstrand::cli
