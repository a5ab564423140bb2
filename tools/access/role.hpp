#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace jobstrand::service {

/// What a caller may do; each may what those before it may.
enum class Role : std::uint8_t {
    anybody,  ///< Asks whether the service lives.
    read,     ///< Looks at everything, changes nothing.
    worker,   ///< Enqueues jobs.
    admin,    ///< What an operator does.
};

[[nodiscard]] constexpr bool may(Role caller, Role needed) {
    return caller >= needed;
}

/// `read`, `worker`, `admin`.
[[nodiscard]] std::string_view name_of(Role role);

/// nullopt: no token has a role of this name.
[[nodiscard]] std::optional<Role> role_named(std::string_view name);

}  // namespace jobstrand::service
