#pragma once

#include <string_view>

/// What makes a shell complete `jobstrand`: the files in shells/. Each asks `jobstrand __complete`
/// with the words that were typed.
namespace jobstrand::cli {

[[nodiscard]] std::string_view bash_script();
[[nodiscard]] std::string_view zsh_script();
[[nodiscard]] std::string_view fish_script();

}  // namespace jobstrand::cli
