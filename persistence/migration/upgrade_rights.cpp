#include "persistence/migration/upgrade_rights.hpp"

#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <string>

namespace jobstrand::persistence {

DbError with_upgrade_grant(Connection& connection, const DbError& error) {
    const std::string_view query = connection.dialect().tables.catalog.upgrade_grant;
    if (error.kind() != DbErrorKind::access_denied || query.empty()) {
        return error;
    }
    std::string grant;
    connection.query({.sql = query, .columns = 1}, {}, [&grant](const Row& row) {
        grant = row.text(0);
    });
    return DbError(error.kind(), fmt::format("{}: {}", error.what(), grant));
}

}  // namespace jobstrand::persistence
