#pragma once

#include "persistence/sql/json_dialect.hpp"

namespace jobstrand::persistence {

[[nodiscard]] std::string mysql_kind_at(std::string_view column);
[[nodiscard]] std::string mysql_scalar_at(std::string_view column);
[[nodiscard]] std::string mysql_number_at(std::string_view column);

inline constexpr JsonDialect kMysqlJson{
    .kind_at = mysql_kind_at,
    .scalar_at = mysql_scalar_at,
    .number_at = mysql_number_at,
    .path_of = json_path_of,
};

}  // namespace jobstrand::persistence
