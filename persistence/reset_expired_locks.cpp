#include "persistence/dialect.hpp"
#include "persistence/id_lists.hpp"
#include "persistence/sql_job_store.hpp"

#include <fmt/format.h>

#include <array>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

constexpr std::string_view kExpired = R"sql(
    SELECT ID_
    FROM {table}
    WHERE LOCK_EXP_TIME_ < ?
    ORDER BY ID_
    LIMIT ?)sql";

// Tests the expiry again: the owner may have renewed the lock since the page was read.
constexpr std::string_view kReset = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...) AND LOCK_EXP_TIME_ < ?)sql";

constexpr std::array kPlacesWithLocks{
    JobPlace::executable,
    JobPlace::timer,
    JobPlace::external_worker};

std::vector<std::string>
read_expired(Connection& connection, JobPlace place, schema::TimePoint now, std::size_t limit) {
    const std::string sql = fmt::format(kExpired, fmt::arg("table", schema::table_of(place)));
    const std::array<Value, 2> parameters{now, static_cast<std::int64_t>(limit)};
    std::vector<std::string> ids;
    connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
        ids.emplace_back(row.text(0));
    });
    return ids;
}

std::int64_t reset(
    Transaction& transaction,
    JobPlace place,
    const std::vector<std::string>& expired,
    schema::TimePoint now
) {
    const std::string sql = fmt::format(
        kReset,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", dialect_of(transaction.kind()).by_id)
    );
    const std::vector<std::string_view> ids(expired.begin(), expired.end());
    std::int64_t freed = 0;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids, .after = {now}})) {
        freed += transaction.execute(text, parameters);
    }
    return freed;
}

}  // namespace

std::int64_t SqlJobStore::reset_expired_locks(schema::TimePoint now, std::size_t limit) {
    std::int64_t total = 0;
    std::size_t rest = limit;
    for (const JobPlace place : kPlacesWithLocks) {
        std::vector<std::string> expired;
        // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
        runner_.read([&](Connection& connection) {
            expired = read_expired(connection, place, now, rest);
        });
        if (expired.empty()) {
            continue;
        }
        std::int64_t freed = 0;
        runner_.run(
            [&](Transaction& transaction) { freed = reset(transaction, place, expired, now); },
            [](Transaction&) { return true; }  // If not, the next pass finds them again.
        );
        total += freed;
        rest -= expired.size();
        if (rest == 0) {
            break;
        }
    }
    return total;
}

}  // namespace jobstrand::persistence
