#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::deadletter {

/// Stands for what differs between two failures of one cause.
inline constexpr std::string_view kPlaceholder = "<*>";

/// Bytes of a pattern at most.
inline constexpr std::size_t kPatternBytes = 240;

/// What is the same in all messages that tell of one kind of failure: one line, in which quoted
/// texts, numbers, dates, addresses, UUIDs, other hexadecimal ids and long tokens are `<*>`.
///
///     order 17 of 'anna' was refused    ->    order <*> of <*> was refused
///
/// A number behind `code`, `status`, `http`, `error`, `errno`, `signal` or `sqlstate` stays, since
/// it says what went wrong: `failed with exit code 3`. Runs of blanks, line breaks and control
/// characters are one blank; what is not UTF-8 is `?`. Of a long message the beginning counts.
///
/// The pattern of a pattern is that pattern.
[[nodiscard]] std::string failure_pattern(std::string_view message);

/// The beginning of a text on one line, as above, with its numbers and all else as they are.
[[nodiscard]] std::string on_one_clean_line(std::string_view text);

}  // namespace jobstrand::deadletter
