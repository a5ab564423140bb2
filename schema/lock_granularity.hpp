#pragma once

#include <optional>
#include <string_view>

namespace jobstrand::schema {

/// What a node locks when it takes jobs. All nodes of a database must agree.
enum class LockGranularity {
    row,   ///< The row of each job says who holds it, which any engine on the tables understands.
    page,  ///< One row of JS_CLAIM names all plain jobs of a page.
};

[[nodiscard]] constexpr std::string_view name_of(LockGranularity granularity) {
    return granularity == LockGranularity::page ? "page" : "row";
}

/// nullopt: there is no such name.
[[nodiscard]] constexpr std::optional<LockGranularity> lock_granularity_of(std::string_view name) {
    if (name == name_of(LockGranularity::row)) {
        return LockGranularity::row;
    }
    return name == name_of(LockGranularity::page) ? std::optional(LockGranularity::page)
                                                  : std::nullopt;
}

}  // namespace jobstrand::schema
