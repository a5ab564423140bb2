#pragma once

#include "persistence/sql/json_dialect.hpp"

namespace jobstrand::persistence {

[[nodiscard]] std::string postgresql_kind_at(std::string_view column);
[[nodiscard]] std::string postgresql_scalar_at(std::string_view column);
[[nodiscard]] std::string postgresql_number_at(std::string_view column);
[[nodiscard]] std::string postgresql_path_of(std::span<const std::string> members);

inline constexpr JsonDialect kPostgresqlJson{
    .kind_at = postgresql_kind_at,
    .scalar_at = postgresql_scalar_at,
    .number_at = postgresql_number_at,
    .path_of = postgresql_path_of,
};

}  // namespace jobstrand::persistence
