#include "persistence/migration/optional_index.hpp"

#include "persistence/migration/ddl.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/upgrade_rights.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

using schema::OptionalIndex;

/// Runs `statement` unless the index is there, or not there, as wanted.
bool make(
    Connection& connection,
    const OptionalIndex& index,
    bool is_wanted,
    const std::string& statement,
    const TablePatience& patience
) {
    return with_upgrade_rights(connection, [&] {
        return change_tables(connection, patience, [&] {
            const bool is_to_do = has_index(connection, index) != is_wanted;
            if (is_to_do) {
                connection.run_script(statement);
            }
            return is_to_do;
        });
    });
}

}  // namespace

bool has_index(Connection& connection, const OptionalIndex& index) {
    const LiveSchema live = read_live_schema(connection);
    const auto table = live.find(index.table);
    return table != live.end() && table->second.indexes.contains(index.index.name);
}

bool create_index(
    Connection& connection,
    const OptionalIndex& index,
    const TablePatience& patience
) {
    const std::string create = create_index(index.table, index.index, connection.dialect());
    return make(connection, index, true, create, patience);
}

bool drop_index(Connection& connection, const OptionalIndex& index, const TablePatience& patience) {
    const std::string drop = drop_index(index, connection.dialect());
    return make(connection, index, false, drop, patience);
}

void require_index(Connection& connection, const OptionalIndex& index, std::string_view purpose) {
    if (!has_index(connection, index)) {
        throw DbError(
            DbErrorKind::schema_missing,
            fmt::format(
                "{} needs the index {}, which is not there: run `jobstrand schema index {} "
                "--create`",
                purpose,
                index.index.name,
                index.name
            )
        );
    }
}

}  // namespace jobstrand::persistence
