#pragma once

#include "schema/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Reads the value of a JSON member, as it was written. Each returns what is wrong, to stand behind
/// the member's name ("must be a string"); empty: nothing, and the value is in the last parameter.
namespace jobstrand::cli {

[[nodiscard]] std::string read_text(std::string_view value, std::string& text);
[[nodiscard]] std::string read_flag(std::string_view value, bool& flag);

[[nodiscard]] std::string read_whole_number(
    std::string_view value,
    std::int64_t least,
    std::int64_t most,
    std::int64_t& number
);

/// See schema::parse_instant.
[[nodiscard]] std::string
read_instant(std::string_view value, std::optional<schema::TimePoint>& instant);

/// See schema::parse_duration; a text.
[[nodiscard]] std::string
read_duration(std::string_view value, std::optional<schema::Duration>& duration);

}  // namespace jobstrand::cli
