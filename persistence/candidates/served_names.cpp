#include "persistence/candidates/served_names.hpp"

#include <algorithm>
#include <string_view>

namespace jobstrand::persistence {

namespace {

char small_letter(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view without_blanks_behind(std::string_view name) {
    return name.substr(0, name.find_last_not_of(' ') + 1);
}

bool are_same(std::string_view name, std::string_view served) {
    return std::ranges::equal(
        without_blanks_behind(name), without_blanks_behind(served), {}, small_letter, small_letter
    );
}

}  // namespace

void use_served_names(std::span<schema::Job> jobs, std::span<const std::string> handler_types) {
    for (schema::Job& job : jobs) {
        if (std::ranges::find(handler_types, job.handler_type) != handler_types.end()) {
            continue;
        }
        const auto served = std::ranges::find_if(handler_types, [&job](std::string_view type) {
            return are_same(job.handler_type, type);
        });
        if (served != handler_types.end()) {
            job.handler_type = *served;
        }
    }
}

}  // namespace jobstrand::persistence
