#pragma once

#include "persistence/drivers/driver.hpp"

#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// The databases that this program knows, the default first.
[[nodiscard]] std::span<const Driver* const> drivers();

/// nullptr: there is none of this name.
[[nodiscard]] const Driver* find_driver(std::string_view name);

/// The driver for a URL that parse_database_url accepted. Throws std::logic_error for another.
[[nodiscard]] const Driver& driver_of(const DatabaseUrl& url);

/// The names of all databases, as in `a, b or c`.
[[nodiscard]] std::string driver_names();

}  // namespace jobstrand::persistence
