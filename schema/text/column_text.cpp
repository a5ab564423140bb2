#include "schema/text/column_text.hpp"

#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <cstdint>

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

std::string digest_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : text) {
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    }
    std::string digits;
    for (int shift = 60; shift >= 0; shift -= 4) {
        digits += "0123456789abcdef"[(hash >> shift) & 0xfU];
    }
    return digits;
}

}  // namespace jobstrand::schema
