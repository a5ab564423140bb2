#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// How a database looks into a text column that may hold JSON, or anything else: no value of the
/// column makes a statement fail. Each `?` in what these return is the path.
struct JsonDialect {
    /// What stands at the path, in a word of the database; NULL, or `null` in any case: nothing.
    std::string (*kind_at)(std::string_view column) = nullptr;

    /// The text, number or truth value at the path, as a text; NULL: none stands there.
    std::string (*scalar_at)(std::string_view column) = nullptr;

    /// The number at the path; NULL: none stands there, or one beyond 10^99.
    std::string (*number_at)(std::string_view column) = nullptr;

    /// The value of the parameter. The members hold no quote, backslash or control character.
    std::string (*path_of)(std::span<const std::string> members) = nullptr;
};

/// `$."items"[0]."sku"`, as MySQL, MariaDB and SQLite have it.
[[nodiscard]] std::string json_path_of(std::span<const std::string> members);

}  // namespace jobstrand::persistence
