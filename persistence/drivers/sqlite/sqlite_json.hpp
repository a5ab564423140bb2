#pragma once

#include "persistence/sql/json_dialect.hpp"

namespace jobstrand::persistence {

[[nodiscard]] std::string sqlite_kind_at(std::string_view column);
[[nodiscard]] std::string sqlite_scalar_at(std::string_view column);
[[nodiscard]] std::string sqlite_number_at(std::string_view column);

inline constexpr JsonDialect kSqliteJson{
    .kind_at = sqlite_kind_at,
    .scalar_at = sqlite_scalar_at,
    .number_at = sqlite_number_at,
    .path_of = json_path_of,
};

}  // namespace jobstrand::persistence
