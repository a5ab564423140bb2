#include "schema/text/text_rules.hpp"

#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>

namespace jobstrand::schema {

void check_id(std::string_view name, std::string_view value, std::vector<std::string>& problems) {
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (value.size() > limits::kIdLength) {
        problems.push_back(
            std::string(name) + " is longer than " + std::to_string(limits::kIdLength) +
            " characters"
        );
    }
    // MySQL compares without the spaces at the end, so two such ids would be the same there.
    if (!std::ranges::all_of(value, is_printable) || value.ends_with(' ')) {
        problems.push_back(
            std::string(name) +
            " may only hold printable ASCII characters, with no space at its end"
        );
    }
}

void check_app_id(
    std::string_view name,
    std::string_view value,
    std::vector<std::string>& problems
) {
    check_text(name, value, limits::kIdLength, problems);
    const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; };
    if (std::ranges::any_of(value, is_control) || value.ends_with(' ')) {
        problems.push_back(
            std::string(name) + " may hold no control characters, and no space at its end"
        );
    }
}

void check_text(
    std::string_view name,
    std::string_view value,
    std::size_t most_characters,
    std::vector<std::string>& problems
) {
    const auto characters = count_characters(value);
    if (!characters) {
        problems.push_back(std::string(name) + " is not UTF-8 text without NUL");
    } else if (*characters > most_characters) {
        problems.push_back(
            std::string(name) + " is longer than " + std::to_string(most_characters) + " characters"
        );
    }
}

}  // namespace jobstrand::schema
