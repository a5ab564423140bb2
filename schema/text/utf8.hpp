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

}  // namespace jobstrand::schema
