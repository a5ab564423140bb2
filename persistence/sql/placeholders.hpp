#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// How many `?` of a statement stand for parameters: those outside of quoted texts, quoted names
/// and comments.
[[nodiscard]] std::size_t count_placeholders(std::string_view sql);

/// The position behind the quoted text, the quoted name or the comment that begins at `start`;
/// `start` when none does.
[[nodiscard]] std::size_t skip_quoted(std::string_view sql, std::size_t start);

/// Throws std::logic_error unless there is a parameter for each placeholder.
void require_parameters(std::size_t placeholders, std::size_t parameters);

/// The statement with `mark` and a number in their places: `$1`, `$2`, ...
[[nodiscard]] std::string number_placeholders(std::string_view sql, char mark);

}  // namespace jobstrand::persistence
