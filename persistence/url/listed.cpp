#include "persistence/url/listed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::persistence {

std::string listed(std::vector<std::string> names, std::string_view joint) {
    const std::string last = names.back();
    names.pop_back();
    return names.empty() ? last : fmt::format("{} {} {}", fmt::join(names, ", "), joint, last);
}

}  // namespace jobstrand::persistence
