#include "tools/text/printable.hpp"

#include "schema/text/printable.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace jobstrand::cli {

namespace {

constexpr std::string_view kEllipsis = "…";

[[nodiscard]] unsigned char byte_at(std::string_view text, std::size_t position) {
    return static_cast<unsigned char>(text[position]);
}

[[nodiscard]] bool is_continuation(unsigned char byte) {
    return (byte & 0xC0U) == 0x80U;
}

/// Bytes of the UTF-8 character that begins here; 0: none does. Overlong forms, surrogates and what
/// lies above U+10FFFF are no characters.
[[nodiscard]] std::size_t character_length(std::string_view text, std::size_t position) {
    const unsigned char first = byte_at(text, position);
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xC2 || first > 0xF4) {
        return 0;
    }
    const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (position + length > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if (!is_continuation(byte_at(text, position + i))) {
            return 0;
        }
    }
    const unsigned char second = byte_at(text, position + 1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || outside ? 0 : length;
}

/// The character that begins here; a byte that begins none stands for itself.
[[nodiscard]] std::string_view character_at(std::string_view text, std::size_t position) {
    return text.substr(position, std::max<std::size_t>(character_length(text, position), 1));
}

/// Columns of a terminal that a character fills: two for those of East Asia and pictures, none for
/// marks that combine with the one before.
[[nodiscard]] std::size_t columns_of(std::string_view character) {
    if (character_length(character, 0) == 0) {
        return 1;
    }
    const int width =
        ::utf8proc_charwidth(static_cast<utf8proc_int32_t>(schema::code_point(character)));
    return static_cast<std::size_t>(std::max(width, 0));
}

}  // namespace

std::string printable(std::string_view text) {
    return schema::printable(text);
}

std::string escaped_for_json(std::string_view json) {
    if (std::ranges::all_of(json, [](char c) { return byte_at({&c, 1}, 0) < 0x80; })) {
        return std::string(json);
    }
    std::string out;
    out.reserve(json.size());
    for (std::size_t position = 0; position < json.size();) {
        const std::size_t length = std::max<std::size_t>(character_length(json, position), 1);
        const std::string_view character = json.substr(position, length);
        // What is left of ASCII's controls stands between values.
        const char32_t code = length == 1 ? 0 : schema::code_point(character);
        if (code >= 0x80 && !schema::is_harmless(code)) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
        } else {
            out += character;
        }
        position += length;
    }
    return out;
}

std::string quoted_if_needed(std::string_view text) {
    return schema::quoted_if_needed(text);
}

std::size_t characters_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return !is_continuation(static_cast<unsigned char>(c));
    }));
}

std::size_t width_of(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t position = 0; position < text.size();) {
        const std::string_view character = character_at(text, position);
        width += columns_of(character);
        position += character.size();
    }
    return width;
}

std::string cut_to_width(std::string text, std::size_t width) {
    if (width_of(text) <= width) {
        return text;
    }
    std::size_t position = 0;
    for (std::size_t kept = 0; position < text.size();) {
        const std::string_view character = character_at(text, position);
        kept += columns_of(character);
        if (kept + 1 > width) {
            break;
        }
        position += character.size();
    }
    text.resize(position);
    return text.append(kEllipsis);
}

}  // namespace jobstrand::cli
