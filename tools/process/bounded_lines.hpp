#pragma once

#include "tools/process/input.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand::cli {

/// One line of a text.
struct BoundedLine {
    std::int64_t number = 0;  ///< Counts from 1.
    std::string text = {};    ///< Its beginning, if it is too long.
    bool is_too_long = false;

    [[nodiscard]] bool is_blank() const {
        return text.find_first_not_of(" \t\r") == std::string::npos;
    }
};

/// Reads a text line by line, of each no more than a bound: a file may be larger than the memory,
/// and so may a line.
class BoundedLines final {
public:
    /// The input must outlive it.
    BoundedLines(Input& input, std::size_t most_bytes) : input_(input), most_bytes_(most_bytes) {}

    /// nullopt: the end. Throws CliError failed when the input breaks off.
    [[nodiscard]] std::optional<BoundedLine> next();

private:
    Input& input_;
    const std::size_t most_bytes_;
    std::int64_t number_ = 0;
};

}  // namespace jobstrand::cli
