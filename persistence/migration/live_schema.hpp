#pragma once

#include "persistence/sql/connection.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A column as it is in a database, in the database's own words.
struct LiveColumn {
    std::string type;
    bool is_required = false;  ///< NOT NULL, and it does not fill itself.
    std::optional<std::string> default_value = {};
    std::string collation = {};
    bool is_tied = false;  ///< By a foreign key: its type stays.
};

struct LiveIndex {
    std::vector<std::string> columns;  ///< In their order; `DUEDATE_ DESC` for a descending one.
    bool is_unique = false;
    bool is_partial = false;  ///< Some rows are not in it.
};

/// A table as it is in a database. All names are in capitals, whatever the database makes of them.
struct LiveTable {
    std::map<std::string, LiveColumn, std::less<>> columns;
    std::vector<std::string> primary_key;                   ///< Empty: it has none.
    std::map<std::string, LiveIndex, std::less<>> indexes;  ///< Without that of the key.
};

using LiveSchema = std::map<std::string, LiveTable, std::less<>>;

/// All tables of the connection's database or schema, each with all of its columns: one that
/// somebody makes meanwhile is there as a whole, or not at all. Throws DbError.
[[nodiscard]] LiveSchema read_live_schema(Connection& connection);

}  // namespace jobstrand::persistence
