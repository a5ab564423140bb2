#include "persistence/migration/schema_lock.hpp"

#include "persistence/sql/db_error.hpp"

#include <string_view>

namespace jobstrand::persistence {
namespace {

using schema::DatabaseKind;

/// Of the database's own, because the names of MySQL's locks belong to the whole server; a hash,
/// because they have at most 64 characters. The wait is shorter than any usual statement time-out.
constexpr std::string_view kTakeNamedLock =
    "SELECT GET_LOCK(CONCAT('jobstrand.', LEFT(SHA2(DATABASE(), 256), 32)), 20)";
constexpr std::string_view kFreeNamedLock =
    "SELECT RELEASE_LOCK(CONCAT('jobstrand.', LEFT(SHA2(DATABASE(), 256), 32)))";

/// A change of the schema may take longer than any other statement.
constexpr std::string_view kAllowTime =
    "SET LOCAL lock_timeout = '20s'; SET LOCAL statement_timeout = 0";

/// Freed by the end of the transaction. The number is `jobstran` in ASCII.
constexpr std::string_view kTakeAdvisoryLock = "SELECT pg_advisory_xact_lock(7669456938449658222)";

/// There the lock would be one server's, and some versions refuse it; see upgrade_schema.
bool is_galera(Connection& connection) {
    bool is_on = false;
    connection.query(
        {.sql = "SHOW GLOBAL VARIABLES LIKE 'wsrep_on'", .columns = 2},
        {},
        [&is_on](const Row& row) { is_on = row.text(1) == "ON"; }
    );
    return is_on;
}

bool call(Connection& connection, std::string_view function) {
    bool answer = false;
    connection.query({.sql = function, .columns = 1}, {}, [&answer](const Row& row) {
        answer = row.boolean(0);
    });
    return answer;
}

}  // namespace

SchemaLock::SchemaLock(Connection& connection) : connection_(connection) {
    switch (connection.kind()) {
        case DatabaseKind::sqlite:
            transaction_.emplace(connection);
            break;
        case DatabaseKind::postgresql:
            transaction_.emplace(connection);
            connection.run_script(kAllowTime);
            call(connection, kTakeAdvisoryLock);
            break;
        case DatabaseKind::mysql:
            if (is_galera(connection)) {
                break;
            }
            has_named_lock_ = call(connection, kTakeNamedLock);
            if (!has_named_lock_) {
                throw DbError(
                    DbErrorKind::busy, "another process has been changing the schema for 20 s"
                );
            }
            break;
    }
}

void SchemaLock::keep_changes() {
    if (transaction_) {
        transaction_->commit();
    }
}

SchemaLock::~SchemaLock() {
    if (!has_named_lock_) {
        return;
    }
    // Defended catch: a connection that cannot free its lock is lost, and the server frees it then.
    try {
        call(connection_, kFreeNamedLock);
    } catch (const DbError&) {
    }
}

}  // namespace jobstrand::persistence
