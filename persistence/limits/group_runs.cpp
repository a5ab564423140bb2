#include "persistence/limit_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/dialect.hpp"

#include <chrono>

namespace jobstrand::persistence {

namespace {

// As in limit_slots: a slot counts only while its owner holds the job.
constexpr std::string_view kRunsByOwner = R"sql(
    SELECT S.OWNER_, COUNT(*)
    FROM JS_SLOT S
    JOIN ACT_RU_JOB J ON J.ID_ = S.ID_
    WHERE S.GROUP_ = ? AND J.LOCK_OWNER_ = S.OWNER_
    GROUP BY S.OWNER_)sql";

constexpr std::string_view kUsedUntil = R"sql(
    SELECT USED_UNTIL_
    FROM JS_LIMITED
    WHERE GROUP_ = ?)sql";

}  // namespace

GroupRuns LimitStore::runs_of_group(std::string_view group) {
    GroupRuns runs;
    const Value name{group};
    context_.runner.read([&](Connection& connection) {
        runs = {};
        connection.query({.sql = kRunsByOwner, .columns = 2}, {&name, 1}, [&](const Row& row) {
            runs.running.emplace(row.text(0), row.integer(1));
        });
        connection.query({.sql = kUsedUntil, .columns = 1}, {&name, 1}, [&](const Row& row) {
            if (!row.is_null(0)) {
                runs.used_until = schema::UsedUntil(std::chrono::microseconds(row.integer(0)));
            }
        });
    });
    return runs;
}

}  // namespace jobstrand::persistence
