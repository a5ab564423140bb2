#pragma once

#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// More than any password has; what is longer is something else.
inline constexpr std::size_t kPasswordBytes = 4096;

/// The first line of a text, without what ends it.
[[nodiscard]] std::string first_line(std::string_view text);

/// The first line of a file that is kept secret (see is_kept_secret).
///
/// Throws DbError access_denied, which says what to do: the file cannot be read, is not kept
/// secret, its first line is empty or longer than kPasswordBytes.
[[nodiscard]] std::string password_in_file(const std::string& path);

}  // namespace jobstrand::persistence
