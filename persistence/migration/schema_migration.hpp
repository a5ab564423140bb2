#pragma once

#include "persistence/sql/connection.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// The schema version that a database says it has; nullopt: Jobstrand's tables are not there.
/// Throws DbError.
[[nodiscard]] std::optional<int> schema_version(Connection& connection);

/// What upgrade_schema did.
struct UpgradeResult {
    int from = 0;  ///< 0: nothing was there.
    int to = 0;
};

/// Creates the tables, or brings them to schema::kSchemaVersion, step by step. Tables of Flowable
/// that are already there are kept and get our columns. Safe when several processes start at once:
/// one does it, the others wait and find it done. Throws DbError; a database newer than this
/// program is refused with kind `other` and a message that says so.
UpgradeResult upgrade_schema(Connection& connection);

/// One difference between the live schema and the expected one, with the statement that mends it
/// (empty when a person has to decide).
struct SchemaDifference {
    std::string description;
    std::string mend;
};

/// Empty: the schema is as this program expects it.
[[nodiscard]] std::vector<SchemaDifference> check_schema(Connection& connection);

/// Throws DbError when the version is not exactly schema::kSchemaVersion: `schema_missing` when
/// there are no tables or an older version (the message names the command that helps), `other` when
/// it is newer.
void require_current_schema(Connection& connection);

}  // namespace jobstrand::persistence
