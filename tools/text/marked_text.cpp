#include "tools/text/marked_text.hpp"

#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <string_view>

namespace jobstrand::cli {

namespace {

/// Longer texts are not repeated in an error.
constexpr std::size_t kLongestShown = 200;

[[nodiscard]] std::string_view before(const std::string& text, const schema::ParseError& error) {
    return std::string_view(text).substr(0, error.position);
}

}  // namespace

std::string with_place(const std::string& text, const schema::ParseError& error) {
    return fmt::format(
        "at character {}: {}", characters_of(before(text, error)) + 1, error.message
    );
}

std::string with_mark(const std::string& text, const schema::ParseError& error) {
    const std::string place = with_place(text, error);
    if (text.size() > kLongestShown) {
        return place;
    }
    const std::size_t width = width_of(printable(before(text, error)));
    return fmt::format("{}\n  {}\n  {:>{}}", place, printable(text), '^', width + 1);
}

}  // namespace jobstrand::cli
