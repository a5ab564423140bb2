#pragma once

#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/connection.hpp"

#include <optional>
#include <string>

namespace jobstrand::persistence {

/// The schema version that a database says it has; nullopt: Jobstrand's tables are not there.
/// Throws DbError.
[[nodiscard]] std::optional<int> schema_version(Connection& connection);

/// The same as it is written there, whatever that is; nullopt: nothing is. The table
/// ACT_GE_PROPERTY must be there.
[[nodiscard]] std::optional<std::string> recorded_version(Connection& connection);

/// Whether there are tables under our names that lack columns of ours: Flowable's, or an app's.
/// Throws DbError.
[[nodiscard]] bool has_others_tables(Connection& connection);

/// What to do about them.
enum class OthersTables {
    refuse,
    take_over,  ///< They get the columns that they lack, and keep all that they have.
};

/// What upgrade_schema did.
struct UpgradeResult {
    int from = 0;  ///< 0: nothing was there.
    int to = 0;
};

/// Creates the tables, or brings them to schema::kSchemaVersion, step by step. Safe when several
/// processes start at once: one does it, the others wait and find it done.
///
/// Throws DbError: `schema_missing` when it would have to change tables of others that it must not
/// take over (the message names the command that does), `other` when the database is newer than
/// this program.
UpgradeResult upgrade_schema(
    Connection& connection,
    OthersTables others = OthersTables::refuse,
    const TablePatience& patience = {}
);

/// Throws DbError when the version is not exactly schema::kSchemaVersion: `schema_missing` when
/// there are no tables or an older version (the message names the command that helps), `other` when
/// it is newer.
void require_current_schema(Connection& connection);

}  // namespace jobstrand::persistence
