#include "persistence/sql/unreadable_value.hpp"

#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace jobstrand::persistence {

namespace {

/// Enough to find the row's producer by.
constexpr std::size_t kShownCharacters = 40;

}  // namespace

DbError unreadable_value(std::string_view value, std::string_view what_it_is_not) {
    const std::string whole = schema::first_characters(value, kShownCharacters + 1);
    std::string shown = schema::first_characters(whole, kShownCharacters);
    if (shown.size() < whole.size()) {
        shown += "...";
    }
    return {DbErrorKind::unreadable, fmt::format("\"{}\" is not {}", shown, what_it_is_not)};
}

}  // namespace jobstrand::persistence
