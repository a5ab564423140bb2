#include "tools/text/terminal_text.hpp"

#include "schema/text/utf8.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace jobstrand::cli {

namespace {

constexpr std::string_view kEllipsis = "…";

/// The character that begins here; a byte that begins none stands for itself.
[[nodiscard]] std::string_view character_at(std::string_view text, std::size_t position) {
    const std::size_t size = schema::first_character_size(text.substr(position));
    return text.substr(position, std::max<std::size_t>(size, 1));
}

[[nodiscard]] bool is_ascii(char byte) {
    return static_cast<unsigned char>(byte) < 0x80;
}

/// Columns of a terminal that a character fills: two for those of East Asia and pictures, none for
/// marks that combine with the one before.
[[nodiscard]] std::size_t columns_of(std::string_view character) {
    if (schema::first_character_size(character) == 0) {
        return 1;
    }
    const int width =
        ::utf8proc_charwidth(static_cast<utf8proc_int32_t>(schema::code_point(character)));
    return static_cast<std::size_t>(std::max(width, 0));
}

}  // namespace

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string escaped_for_json(std::string_view text) {
    if (std::ranges::all_of(text, is_ascii)) {
        return std::string(text);
    }
    std::string out;
    out.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        const std::string_view character = character_at(text, position);
        // What is left of ASCII's controls stands between values.
        const char32_t code = character.size() == 1 ? 0 : schema::code_point(character);
        if (code >= 0x80 && !schema::is_harmless(code)) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<std::uint32_t>(code));
        } else {
            out += character;
        }
        position += character.size();
    }
    return out;
}

std::size_t characters_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
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

namespace {

using namespace std::chrono_literals;

struct RelativeUnit {
    schema::Duration length;
    schema::Duration from;  ///< Shorter distances are told in a smaller unit.
    std::string_view word;
};

constexpr std::array kRelativeUnits{
    RelativeUnit{std::chrono::years{1}, std::chrono::years{2}, "y"},
    RelativeUnit{std::chrono::days{1}, std::chrono::days{2}, "d"},
    RelativeUnit{1h, 2h, "h"},
    RelativeUnit{1min, 2min, "min"},
    RelativeUnit{1s, 1s, "s"},
};

}  // namespace

std::string relative_time(schema::TimePoint time, schema::TimePoint now) {
    const bool is_ahead = time > now;
    const schema::Duration distance = is_ahead ? time - now : now - time;
    for (const RelativeUnit& unit : kRelativeUnits) {
        if (distance >= unit.from) {
            const auto count = distance / unit.length;
            return is_ahead ? fmt::format("in {} {}", count, unit.word)
                            : fmt::format("{} {} ago", count, unit.word);
        }
    }
    return "now";
}

std::string age_text(schema::Duration age) {
    // Years are told in days.
    for (const RelativeUnit& unit : std::span(kRelativeUnits).subspan(1)) {
        if (age >= unit.length) {
            return fmt::format("{} {} ago", age / unit.length, unit.word);
        }
    }
    return "0 s ago";
}

}  // namespace jobstrand::cli
