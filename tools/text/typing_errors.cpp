#include "tools/text/typing_errors.hpp"

#include "schema/text/utf8.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

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

namespace {

/// Longer names are compared by their beginning; no real one comes near this.
constexpr std::size_t kComparedLength = 128;

[[nodiscard]] bool same(char a, char b) {
    return schema::small_letter(a) == schema::small_letter(b);
}

}  // namespace

// Swapping two neighbours counts as one (optimal string alignment).
std::size_t edits_between(std::string_view a, std::string_view b) {
    const std::size_t width = b.size() + 1;
    std::vector<std::size_t> before_last(width);
    std::vector<std::size_t> last(width);
    std::vector<std::size_t> row(width);
    for (std::size_t j = 0; j < width; ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j < width; ++j) {
            const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
                row[j] = std::min(row[j], before_last[j - 2] + 1);
            }
        }
    }
    return row[b.size()];
}

std::string_view nearest_name(std::string_view misspelt, std::span<const std::string_view> names) {
    std::string_view nearest;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (const std::string_view name : names) {
        const std::size_t edits = edits_between(misspelt.substr(0, kComparedLength), name);
        if (edits < least) {
            least = edits;
            nearest = name;
        }
    }
    return nearest;
}

}  // namespace jobstrand::cli
