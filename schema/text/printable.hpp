#pragma once

#include <string>
#include <string_view>

/// Texts of others as they are shown to people: on one line, and harmless to a terminal.
namespace jobstrand::schema {

/// The code point of a whole UTF-8 character.
[[nodiscard]] char32_t code_point(std::string_view character);

/// Whether a character neither controls a terminal, breaks a line, nor turns the direction of
/// reading.
[[nodiscard]] bool is_harmless(char32_t code);

/// Control characters become `\n`, `\t` or `\xNN`, bytes that are not UTF-8 become `\xNN`, and
/// characters that break a line or turn the direction of reading become `\u{NNNN}`. Everything else
/// stays as it is, the backslash too.
[[nodiscard]] std::string printable(std::string_view text);

/// Like printable(), between double quotes, with `"` and `\` escaped; without quotes when the text
/// is one word that needs none.
[[nodiscard]] std::string quoted_if_needed(std::string_view text);

}  // namespace jobstrand::schema
