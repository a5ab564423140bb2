#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Ids in a table that is too narrow for them: the beginning, and a mark that no id of a job holds.
/// Pure.
namespace jobstrand::cli {

/// Behind the beginning of an id; the second one is easier to type.
inline constexpr std::string_view kShortMark = "…";
inline constexpr std::string_view kTypedShortMark = "...";

/// At least so much of an id stays: of a UUID of version 7 the time and the counter, which no other
/// id of the same producer has (RFC 9562, 5.7 and 6.2).
inline constexpr std::size_t kShortIdLeast = 18;

/// Each id cut to the first characters that no other one of them begins with, with kShortMark;
/// whole where that is no shorter.
[[nodiscard]] std::vector<std::string> shortened(const std::vector<std::string>& ids);

/// What stands before the mark; empty: `id` is whole.
[[nodiscard]] std::string_view beginning_of(std::string_view id);

}  // namespace jobstrand::cli
