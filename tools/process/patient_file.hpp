#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace jobstrand::cli {

/// For what stands in a pipe: as long as a program may need to write a few lines.
inline constexpr std::chrono::seconds kPipePatience{5};

/// Reads at most `limit` bytes of a file into `text`; a pipe in which nothing comes for longer than
/// `patience` is given up. Returns what is wrong, in words; empty: nothing.
[[nodiscard]] std::string read_bytes(
    const std::string& path,
    std::size_t limit,
    std::string& text,
    std::chrono::milliseconds patience = kPipePatience
);

}  // namespace jobstrand::cli
