#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// The text on one line and harmless to a terminal: control characters become `\n`, `\t` or `\xNN`,
/// bytes that are not UTF-8 become `\xNN`. Everything else stays as it is, the backslash too.
[[nodiscard]] std::string printable(std::string_view text);

/// Like printable(), between double quotes, with `"` and `\` escaped; without quotes when the text
/// is one word that needs none.
[[nodiscard]] std::string quoted_if_needed(std::string_view text);

/// Characters (code points) of UTF-8 text: what a table column counts.
[[nodiscard]] std::size_t width_of(std::string_view text);

/// At most `width` characters; a text that is longer ends in `…`.
[[nodiscard]] std::string cut_to_width(std::string text, std::size_t width);

}  // namespace jobstrand::cli
