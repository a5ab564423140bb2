#include "persistence/drivers/postgresql/postgresql_schema_lock.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace jobstrand::persistence {

namespace {

/// All who want to write to a table wait behind a change of it that waits.
constexpr std::string_view kWaitBriefly = "SET LOCAL lock_timeout = '1s'";

/// A change of the schema may take longer than any other statement, and another one may be at it.
constexpr std::string_view kAllowTime =
    "SET LOCAL lock_timeout = '20s'; SET LOCAL statement_timeout = 0";

/// Freed by the end of the transaction. The number is `jobstran` in ASCII.
constexpr std::string_view kTake = "SELECT pg_advisory_xact_lock(7669456938449658222)";

/// One index at a time: what another session has begun looks like what a broken-off try has left.
constexpr std::string_view kTryToTake = "SELECT pg_try_advisory_lock(7669456938449658223)";
constexpr std::string_view kFree = "SELECT pg_advisory_unlock(7669456938449658223)";

[[nodiscard]] bool take_index_lock(Connection& connection) {
    bool is_mine = false;
    connection.query({.sql = kTryToTake, .columns = 1}, {}, [&is_mine](const Row& row) {
        is_mine = row.boolean(0);
    });
    return is_mine;
}

[[nodiscard]] std::string setting(Connection& connection, std::string_view name) {
    std::string value;
    const std::string show = fmt::format("SHOW {}", name);
    connection.query({.sql = show, .columns = 1}, {}, [&value](const Row& row) {
        value = row.text(0);
    });
    return value;
}

/// Sets both limits of time, and afterwards to what they were. Never waits for another session that
/// makes an index.
class OtherLimits final : public SchemaLock {
public:
    OtherLimits(Connection& connection, std::chrono::milliseconds wait)
        : connection_(connection),
          wait_(setting(connection, "lock_timeout")),
          statement_(setting(connection, "statement_timeout")) {
        if (!take_index_lock(connection)) {
            throw DbError(
                DbErrorKind::busy,
                "another process is making an index in this database: try again when it has ended"
            );
        }
        set(std::to_string(wait.count()), "0");
    }

    ~OtherLimits() override {
        // Defended catch: a connection that cannot be told is lost.
        try {
            set(wait_, statement_);
            connection_.query({.sql = kFree, .columns = 1}, {}, [](const Row&) {});
        } catch (const DbError&) {
        }
    }

    OtherLimits(const OtherLimits&) = delete;
    OtherLimits& operator=(const OtherLimits&) = delete;

private:
    void set(std::string_view wait, std::string_view statement) {
        connection_.run_script(
            fmt::format("SET lock_timeout = '{}'; SET statement_timeout = '{}'", wait, statement)
        );
    }

    Connection& connection_;
    const std::string wait_;
    const std::string statement_;
};

}  // namespace

std::unique_ptr<SchemaLock>
allow_postgresql_time(Connection& connection, std::chrono::milliseconds wait) {
    return std::make_unique<OtherLimits>(connection, wait);
}

std::unique_ptr<SchemaLock> lock_postgresql_schema(Connection& connection) {
    auto lock = std::make_unique<SchemaTransaction>(connection);
    connection.run_script(kAllowTime);
    connection.query({.sql = kTake, .columns = 1}, {}, [](const Row&) {});
    connection.run_script(kWaitBriefly);
    return lock;
}

}  // namespace jobstrand::persistence
