#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// The text on one line and harmless to a terminal: control characters become `\n`, `\t` or `\xNN`,
/// bytes that are not UTF-8 become `\xNN`, and characters that break a line or turn the direction
/// of reading become `\u{NNNN}`. Everything else stays as it is, the backslash too.
[[nodiscard]] std::string printable(std::string_view text);

/// JSON text whose strings hold no character above ASCII that controls a terminal, breaks a line or
/// turns the direction of reading: these become `\uNNNN`. It means the same as before.
[[nodiscard]] std::string escaped_for_json(std::string_view json);

/// Like printable(), between double quotes, with `"` and `\` escaped; without quotes when the text
/// is one word that needs none.
[[nodiscard]] std::string quoted_if_needed(std::string_view text);

/// Characters (code points) of UTF-8 text: how a place in it is told.
[[nodiscard]] std::size_t characters_of(std::string_view text);

/// Columns of a terminal that UTF-8 text fills: two for a character of East Asia, none for a mark
/// that combines with the one before it.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// At most `width` columns; a text that is wider ends in `…`.
[[nodiscard]] std::string cut_to_width(std::string text, std::size_t width);

}  // namespace jobstrand::cli
