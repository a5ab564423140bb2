#include "persistence/drivers/mysql/schema_lock.hpp"

#include "persistence/sql/db_error.hpp"

#include <string_view>

namespace jobstrand::persistence {

namespace {

/// Of the database's own, because the names of MySQL's locks belong to the whole server; a hash,
/// because they have at most 64 characters. The wait is shorter than any usual statement time-out.
constexpr std::string_view kTake =
    "SELECT GET_LOCK(CONCAT('jobstrand.', LEFT(SHA2(DATABASE(), 256), 32)), 20)";
constexpr std::string_view kFree =
    "SELECT RELEASE_LOCK(CONCAT('jobstrand.', LEFT(SHA2(DATABASE(), 256), 32)))";

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

class NamedLock final : public SchemaLock {
public:
    explicit NamedLock(Connection& connection) : connection_(connection) {
        if (!call(connection, kTake)) {
            throw DbError(
                DbErrorKind::busy, "another process has been changing the schema for 20 s"
            );
        }
    }

    ~NamedLock() override {
        // Defended catch: a connection that cannot free its lock is lost, and the server frees it
        // then.
        try {
            call(connection_, kFree);
        } catch (const DbError&) {
        }
    }

    NamedLock(const NamedLock&) = delete;
    NamedLock& operator=(const NamedLock&) = delete;

private:
    Connection& connection_;
};

}  // namespace

std::unique_ptr<SchemaLock> lock_mysql_schema(Connection& connection) {
    if (is_galera(connection)) {
        return std::make_unique<SchemaLock>();
    }
    return std::make_unique<NamedLock>(connection);
}

}  // namespace jobstrand::persistence
