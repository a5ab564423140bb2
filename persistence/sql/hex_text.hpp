#pragma once

#include "persistence/sql/connection.hpp"

#include <string>
#include <string_view>

/// Bytes as PostgreSQL writes and reads them: `\x` and two hexadecimal digits for each.
namespace jobstrand::persistence {

[[nodiscard]] std::string hex_text_of(Bytes bytes);

/// What does not begin with `\x` is taken as it is.
[[nodiscard]] std::string bytes_of_hex_text(std::string_view text);

/// The bytes that hexadecimal digits alone stand for.
[[nodiscard]] std::string from_hex(std::string_view digits);

}  // namespace jobstrand::persistence
