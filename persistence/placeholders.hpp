#pragma once

#include <cstddef>
#include <string_view>

namespace jobstrand::persistence {

/// How many `?` of a statement stand for parameters: those outside of quoted texts, quoted names
/// and comments.
[[nodiscard]] std::size_t count_placeholders(std::string_view sql);

}  // namespace jobstrand::persistence
