#pragma once

#include "persistence/sql/connection.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// A table as it is in a database. All names are in capitals, whatever the database makes of them.
struct LiveTable {
    std::map<std::string, std::string, std::less<>> columns;  ///< Name and SQL type.
    std::set<std::string, std::less<>> indexes;
};

using LiveSchema = std::map<std::string, LiveTable, std::less<>>;

/// All tables of the connection's database or schema. Throws DbError.
[[nodiscard]] LiveSchema read_live_schema(Connection& connection);

}  // namespace jobstrand::persistence
