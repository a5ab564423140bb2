#include "persistence/drivers/mysql/mysql_schema_lock.hpp"

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

/// All who want to write to a table wait behind a change of it that waits. Behind it the session
/// waits as long as it did (see MysqlDatabase).
class BriefWait : public SchemaLock {
public:
    explicit BriefWait(Connection& connection) : connection_(connection) {
        connection.run_script("SET SESSION lock_wait_timeout = 1");
    }

    ~BriefWait() override {
        // Defended catch: whoever cannot be told is lost.
        try {
            connection_.run_script("SET SESSION lock_wait_timeout = 5");
        } catch (const DbError&) {
        }
    }

    BriefWait(const BriefWait&) = delete;
    BriefWait& operator=(const BriefWait&) = delete;

protected:
    Connection& connection_;
};

class NamedLock final : public BriefWait {
public:
    explicit NamedLock(Connection& connection) : BriefWait(connection) {
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
};

}  // namespace

std::unique_ptr<SchemaLock> lock_mysql_schema(Connection& connection) {
    if (is_galera(connection)) {
        return std::make_unique<BriefWait>(connection);
    }
    return std::make_unique<NamedLock>(connection);
}

}  // namespace jobstrand::persistence
