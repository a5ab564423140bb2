#include "schema/text/printable.hpp"

#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace jobstrand::schema {

namespace {

/// ASCII controls, and U+0080 to U+009F, which terminals take for controls as well.
[[nodiscard]] bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/// What ends a line or turns the direction of reading (Unicode Standard Annex 9), so that a text
/// shows as another than it is.
[[nodiscard]] bool misleads(char32_t code) {
    return code == 0x2028 || code == 0x2029 || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

void append_escaped(std::string& out, std::string_view bytes) {
    for (const char byte : bytes) {
        switch (byte) {
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                fmt::format_to(
                    std::back_inserter(out), "\\x{:02x}", static_cast<unsigned char>(byte)
                );
        }
    }
}

}  // namespace

char32_t code_point(std::string_view character) {
    const auto first = static_cast<unsigned char>(character.front());
    if (character.size() == 1) {
        return first;
    }
    char32_t code = first & (0x7FU >> character.size());
    for (std::size_t i = 1; i < character.size(); ++i) {
        code = (code << 6U) | (static_cast<unsigned char>(character[i]) & 0x3FU);
    }
    return code;
}

bool is_harmless(char32_t code) {
    return !is_control(code) && !misleads(code);
}

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t length = first_character_size(text.substr(position));
        const std::string_view character = text.substr(position, std::max<std::size_t>(length, 1));
        if (length == 0 || is_control(code_point(character))) {
            append_escaped(out, character);
        } else if (!is_harmless(code_point(character))) {
            fmt::format_to(
                std::back_inserter(out),
                "\\u{{{:x}}}",
                static_cast<std::uint32_t>(code_point(character))
            );
        } else {
            out += character;
        }
        position += character.size();
    }
    return out;
}

std::string quoted_if_needed(std::string_view text) {
    const bool is_word = !text.empty() && text.find_first_of(" \"=\\") == std::string_view::npos;
    if (is_word && printable(text) == text) {
        return std::string(text);
    }
    std::string escaped;
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            escaped += '\\';
        }
        escaped += c;
    }
    return '"' + printable(escaped) + '"';
}

}  // namespace jobstrand::schema
