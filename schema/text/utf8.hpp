#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// Texts as the databases want them: UTF-8 (RFC 3629) without NUL, which PostgreSQL cannot store.
namespace jobstrand::schema {

/// Bytes of the character that `text` begins with; 0 when it is empty, or begins with NUL or with
/// something that is not UTF-8.
[[nodiscard]] std::size_t first_character_size(std::string_view text);

/// Whether a file begins as UTF-16 does, with the mark that says so.
[[nodiscard]] bool begins_as_utf16(std::string_view text);

/// nullopt: `text` holds NUL or something that is not UTF-8.
[[nodiscard]] std::optional<std::size_t> count_characters(std::string_view text);

/// The first `limit` characters of `text`, each byte that may not stand there replaced by U+FFFD.
[[nodiscard]] std::string first_characters(std::string_view text, std::size_t limit);

/// The end of `text` with the same replacements: as many whole characters as `limit` bytes hold.
[[nodiscard]] std::string last_bytes(std::string_view text, std::size_t limit);

/// Capitals of ASCII become small letters, all else stays.
[[nodiscard]] constexpr char small_letter(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] std::string in_small_letters(std::string_view text);

// Texts of others as they are shown to people: on one line, and harmless to a terminal.

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
