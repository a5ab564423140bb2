#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace jobstrand::cli {

/// The fewest characters to insert, delete, replace or swap, upper and lower case being equal.
[[nodiscard]] std::size_t edits_between(std::string_view a, std::string_view b);

/// The name that a misspelt one most probably means: the one with the fewest characters to insert,
/// delete, replace or swap, upper and lower case being equal. The first of several; empty when
/// there are no names.
[[nodiscard]] std::string_view
nearest_name(std::string_view misspelt, std::span<const std::string_view> names);

}  // namespace jobstrand::cli
