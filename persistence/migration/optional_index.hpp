#pragma once

#include "persistence/migration/patient_change.hpp"
#include "persistence/sql/connection.hpp"
#include "schema/tables.hpp"

/// The indexes that only some settings need. They come and go by an operator's command, never by
/// the service itself.
namespace jobstrand::persistence {

[[nodiscard]] bool has_index(Connection& connection, const schema::OptionalIndex& index);

/// false: it was there already. Other changes of the schema wait while it is made, and on SQLite so
/// do all who write. On PostgreSQL it waits for the transactions that are open. Throws DbError.
bool create_index(
    Connection& connection,
    const schema::OptionalIndex& index,
    const TablePatience& patience = {}
);

/// false: it was not there. Throws DbError.
bool drop_index(
    Connection& connection,
    const schema::OptionalIndex& index,
    const TablePatience& patience = {}
);

/// Throws DbError `schema_missing` when it is not there; `purpose` begins the message, which names
/// the command that helps.
void require_index(
    Connection& connection,
    const schema::OptionalIndex& index,
    std::string_view purpose
);

}  // namespace jobstrand::persistence
