#include "schema/text/name_list.hpp"

#include <algorithm>

namespace jobstrand::schema {

ParseResult<std::string> joined_names(std::span<const std::string> names) {
    std::string list;
    for (const std::string& name : names) {
        if (name.empty() || name.find_first_of("\r\n") != std::string::npos) {
            return ParseError{name.empty() ? "has an empty name" : "has a name with a line break"};
        }
        list += (list.empty() ? "" : "\n") + name;
    }
    return list;
}

std::vector<std::string> names_in(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const std::string_view line = list.substr(0, list.find('\n'));
        if (!line.empty()) {
            names.emplace_back(line);
        }
        list.remove_prefix(std::min(line.size() + 1, list.size()));
    }
    return names;
}

}  // namespace jobstrand::schema
