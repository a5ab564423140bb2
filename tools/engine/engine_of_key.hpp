#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jobstrand::engine {

/// What the public engine_of() says, for what is below the public headers.
[[nodiscard]] std::string engine_of_key(std::string_view key, std::span<const std::string> names);

}  // namespace jobstrand::engine
