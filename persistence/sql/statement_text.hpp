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

/// The beginning of a statement on one line, for error messages; it has no values in it.
[[nodiscard]] std::string sql_summary(std::string_view sql);

/// Whether a statement of an app may change jobs: it names one of their tables, or is of a kind
/// that does not say what it changes, such as a call of a procedure or a return to a savepoint.
/// What the app's own triggers do is not seen.
[[nodiscard]] bool may_touch_jobs(std::string_view sql);

}  // namespace jobstrand::persistence
