#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jobstrand::service {

/// The JSON text with `"***"` as the value of each member of one of these names, at any depth,
/// whatever the case of their ASCII letters; all else stays as it was written. A text that is no
/// JSON has no members. The name `*` stands for the whole text, JSON or not.
[[nodiscard]] std::string
without_values_of(std::span<const std::string> names, std::string_view json);

/// Whether something on the path of a payload has one of these names.
[[nodiscard]] bool
is_hidden_path(std::span<const std::string> names, std::span<const std::string> path);

}  // namespace jobstrand::service
