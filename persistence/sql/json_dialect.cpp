#include "persistence/sql/json_dialect.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

[[nodiscard]] bool is_place_in_list(std::string_view member) {
    return std::ranges::all_of(member, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string json_path_of(std::span<const std::string> members) {
    std::string path = "$";
    for (const std::string& member : members) {
        path +=
            is_place_in_list(member) ? fmt::format("[{}]", member) : fmt::format(".\"{}\"", member);
    }
    return path;
}

}  // namespace jobstrand::persistence
