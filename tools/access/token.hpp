#pragma once

#include "schema/time.hpp"
#include "tools/access/role.hpp"
#include "tools/access/scope.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::service {

/// SHA-256 of a token. A token is 256 random bits, so nothing slower is needed to keep it.
using TokenHash = std::array<std::uint8_t, 32>;

/// What is stored of a token: never the token itself.
struct TokenEntry {
    std::string name;
    Role role = Role::read;
    TokenHash hash{};
    std::string created;  ///< ISO 8601, in UTC.
    Scope scope = {};
    std::optional<schema::TimePoint> expires = {};  ///< nullopt: never.

    /// By this machine's clock.
    [[nodiscard]] bool has_expired(schema::TimePoint now) const {
        return expires && *expires <= now;
    }
};

/// A new token: `jst_` and 43 characters of base64url. Throws std::runtime_error when the machine
/// has no randomness.
[[nodiscard]] std::string new_token();

[[nodiscard]] TokenHash hash_of(std::string_view token);

/// As lower-case hexadecimal digits.
[[nodiscard]] std::string hex_of(const TokenHash& hash);

/// In a time that does not depend on where they differ.
[[nodiscard]] bool are_equal(const TokenHash& a, const TokenHash& b);

}  // namespace jobstrand::service
