#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// `a, b and c`, with the given last joint.
[[nodiscard]] std::string listed(std::vector<std::string> names, std::string_view joint);

}  // namespace jobstrand::persistence
