#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// A text of help for a terminal of so many columns; below 80 it is laid out for 80, above 120 for
/// 120, because longer lines are hard to read. What does not fit goes on below its description,
/// and sentences are filled up to the edge. Examples stay as they are: they are there to be copied.
[[nodiscard]] std::string wrapped_help(std::string_view help, std::size_t columns);

}  // namespace jobstrand::cli
