#include "tools/output/output_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace jobstrand::cli {

namespace {

constexpr std::array<std::pair<std::string_view, Tone>, 7> kWords{{
    {"dead", Tone::bad},
    {"not found", Tone::bad},
    {"paused", Tone::warning},
    {"refused", Tone::bad},
    {"running", Tone::good},
    {"skipped", Tone::quiet},
    {"suspended", Tone::warning},
}};

constexpr std::size_t kGroup = 3;

[[nodiscard]] std::string_view code_of(Tone tone) {
    switch (tone) {
        case Tone::plain:
            return {};
        case Tone::heading:
            return "1";
        case Tone::quiet:
            return "2";
        case Tone::good:
            return "32";
        case Tone::warning:
            return "33";
        case Tone::bad:
            return "31";
    }
    return {};
}

[[nodiscard]] bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string in_tone(Tone tone, std::string_view text, const OutputStyle& style) {
    const std::string_view code = code_of(tone);
    if (!style.is_coloured || code.empty() || text.empty()) {
        return std::string(text);
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string message_start(bool is_coloured) {
    return in_tone(Tone::bad, "jobstrand:", {.is_coloured = is_coloured}) + ' ';
}

Tone tone_of_word(std::string_view word) {
    const auto* const found = std::ranges::find(kWords, word, &decltype(kWords)::value_type::first);
    return found == kWords.end() ? Tone::plain : found->second;
}

std::string grouped(std::string_view number) {
    const std::string_view sign = number.starts_with('-') ? "-" : "";
    std::string digits(number.substr(sign.size()));
    if (!is_digits(digits)) {
        return std::string(number);
    }
    for (std::size_t at = digits.size(); at > kGroup;) {
        at -= kGroup;
        digits.insert(at, 1, ',');
    }
    return digits.insert(0, sign);
}

}  // namespace jobstrand::cli
