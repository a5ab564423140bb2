#include "tools/text/percent.hpp"

#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace jobstrand::service {

namespace {

/// nullopt: not two hexadecimal digits.
[[nodiscard]] std::optional<char> byte_of(std::string_view digits) {
    unsigned value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
    return digits.size() == 2 && stop == end && error == std::errc{}
               ? std::optional(static_cast<char>(value))
               : std::nullopt;
}

[[nodiscard]] bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        const auto byte = byte_of(text.substr(i + 1, 2));
        if (!byte) {
            return std::nullopt;
        }
        decoded += *byte;
        i += 2;
    }
    if (std::ranges::any_of(decoded, is_control) || !schema::count_characters(decoded)) {
        return std::nullopt;
    }
    return decoded;
}

std::string percent_encoded(std::string_view text) {
    std::string encoded;
    for (const char c : text) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
                              c == '~';
        encoded +=
            is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return encoded;
}

std::optional<std::vector<QueryItem>> query_items(std::string_view query) {
    std::vector<QueryItem> items;
    while (!query.empty()) {
        std::string item(query.substr(0, query.find('&')));
        query.remove_prefix(std::min(item.size() + 1, query.size()));
        std::ranges::replace(item, '+', ' ');
        const std::size_t sign = std::min(item.find('='), item.size());
        auto name = percent_decoded(std::string_view(item).substr(0, sign));
        auto value =
            percent_decoded(std::string_view(item).substr(std::min(sign + 1, item.size())));
        if (!name || !value) {
            return std::nullopt;
        }
        if (!item.empty()) {
            items.emplace_back(std::move(*name), std::move(*value));
        }
    }
    return items;
}

}  // namespace jobstrand::service
