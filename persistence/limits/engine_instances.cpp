#include "persistence/limits/engine_instances.hpp"

#include "persistence/sql/dialect.hpp"
#include "schema/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace jobstrand::persistence {

namespace {

// As an engine takes it, without the revision; and from a node of ours, whoever that was.
constexpr std::string_view kTakeInstance = R"sql(
    UPDATE ACT_RU_EXECUTION
    SET LOCK_OWNER_ = ?, LOCK_TIME_ = ?
    WHERE ID_ = ? AND (LOCK_TIME_ IS NULL OR LOCK_TIME_ < ? OR LOCK_OWNER_ LIKE 'jobstrand:%'))sql";

constexpr std::string_view kFreeInstance = R"sql(
    UPDATE ACT_RU_EXECUTION
    SET LOCK_OWNER_ = NULL, LOCK_TIME_ = NULL
    WHERE ID_ = ? AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kExists = R"sql(SELECT 1 FROM ACT_RU_EXECUTION WHERE ID_ = ?)sql";

// No index has the time.
constexpr std::string_view kLastOfPlace = R"sql(
    SELECT MAX(CREATE_TIME_)
    FROM (
        SELECT CREATE_TIME_
        FROM {table}
        WHERE SCOPE_TYPE_ IS NULL
        LIMIT 10000
    ) part)sql";

/// How our owners stand in the table.
constexpr std::string_view kPrefix = "jobstrand:";

std::string owner_there(std::string_view owner) {
    return std::string(kPrefix).append(owner);
}

bool is_there(Transaction& transaction, std::string_view instance) {
    return has_row(transaction, kExists, {instance});
}

}  // namespace

bool SqlEngineStore::has_engine() {
    return context_.runner.read([](Connection& connection) {
        return connection.dialect().has_engine;
    });
}

std::optional<schema::TimePoint> SqlEngineStore::last_engine_job() {
    return context_.runner.read([](Connection& connection) {
        std::optional<schema::TimePoint> last;
        if (!connection.dialect().has_engine) {
            return last;
        }
        for (const schema::JobPlace place : schema::kJobPlaces) {
            const std::string sql =
                fmt::format(kLastOfPlace, fmt::arg("table", schema::table_of(place)));
            connection.query({.sql = sql, .columns = 1}, {}, [&](const Row& row) {
                last = std::max(last, row.time(0));
            });
        }
        return last;
    });
}

bool SqlEngineStore::take_instance(const InstanceClaim& claim) {
    const std::string owner = owner_there(claim.owner);
    bool is_taken = false;
    context_.runner.run(
        [&](Transaction& transaction) {
            is_taken =
                transaction.execute(
                    kTakeInstance, {std::string_view(owner), claim.until, claim.instance, claim.now}
                ) > 0 ||
                !is_there(transaction, claim.instance);
        },
        run_again
    );
    return is_taken;
}

void SqlEngineStore::free_instance(std::string_view instance, std::string_view owner) {
    const std::string there = owner_there(owner);
    context_.runner.run(
        [&](Transaction& transaction) {
            transaction.execute(kFreeInstance, {instance, std::string_view(there)});
        },
        run_again
    );
}

}  // namespace jobstrand::persistence
