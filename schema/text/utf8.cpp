#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

namespace jobstrand::schema {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::size_t kLongestContinuation = 3;

unsigned char byte_at(std::string_view text, std::size_t index) {
    return static_cast<unsigned char>(text[index]);
}

bool continues_character(std::string_view text, std::size_t index) {
    return index < text.size() && (byte_at(text, index) & 0xC0U) == 0x80U;
}

/// What the lead byte says: how long the character is, and which second bytes are legal. The second
/// byte is where overlong forms, surrogates and code points above U+10FFFF show.
struct Lead {
    std::size_t size = 0;
    unsigned char least_second = 0x80;
    unsigned char most_second = 0xBF;
};

Lead read_lead(unsigned char lead) {
    if (lead >= 0xC2 && lead <= 0xDF) {
        return {2};
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool may_be_overlong = lead == 0xE0;
        const bool may_be_surrogate = lead == 0xED;
        return {
            3,
            static_cast<unsigned char>(may_be_overlong ? 0xA0 : 0x80),
            static_cast<unsigned char>(may_be_surrogate ? 0x9F : 0xBF)};
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool may_be_overlong = lead == 0xF0;
        const bool may_be_too_large = lead == 0xF4;
        return {
            4,
            static_cast<unsigned char>(may_be_overlong ? 0x90 : 0x80),
            static_cast<unsigned char>(may_be_too_large ? 0x8F : 0xBF)};
    }
    return {};
}

}  // namespace

std::size_t first_character_size(std::string_view text) {
    if (text.empty() || text.front() == '\0') {
        return 0;
    }
    if (byte_at(text, 0) < 0x80) {
        return 1;
    }
    const Lead lead = read_lead(byte_at(text, 0));
    if (lead.size == 0 || text.size() < lead.size || byte_at(text, 1) < lead.least_second ||
        byte_at(text, 1) > lead.most_second) {
        return 0;
    }
    for (std::size_t i = 2; i < lead.size; ++i) {
        if (!continues_character(text, i)) {
            return 0;
        }
    }
    return lead.size;
}

bool begins_as_utf16(std::string_view text) {
    return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

std::optional<std::size_t> count_characters(std::string_view text) {
    std::size_t count = 0;
    for (; !text.empty(); ++count) {
        const std::size_t size = first_character_size(text);
        if (size == 0) {
            return std::nullopt;
        }
        text.remove_prefix(size);
    }
    return count;
}

std::string first_characters(std::string_view text, std::size_t limit) {
    std::string result;
    for (std::size_t count = 0; count < limit && !text.empty(); ++count) {
        const std::size_t size = first_character_size(text);
        result += size == 0 ? kReplacement : text.substr(0, size);
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return result;
}

std::string last_bytes(std::string_view text, std::size_t limit) {
    // Replacements only make a text longer, so nothing before these bytes can be needed; three more
    // show whether the first of them begins a character.
    const std::size_t wanted = std::min(text.size(), limit + kLongestContinuation);
    std::string result = first_characters(
        text.substr(text.size() - wanted), std::numeric_limits<std::size_t>::max()
    );
    std::size_t cut = result.size() - std::min(result.size(), limit);
    while (continues_character(result, cut)) {
        ++cut;
    }
    return result.erase(0, cut);
}

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

std::string in_small_letters(std::string_view text) {
    std::string small(text);
    std::ranges::transform(small, small.begin(), small_letter);
    return small;
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
