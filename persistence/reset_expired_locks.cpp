#include "persistence/byte_arrays.hpp"
#include "persistence/dialect.hpp"
#include "persistence/id_lists.hpp"
#include "persistence/job_table.hpp"
#include "persistence/series_turns.hpp"
#include "persistence/sql_job_store.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kExpired = R"sql(
    SELECT ID_, SERIES_
    FROM {table}
    WHERE LOCK_EXP_TIME_ < ?
    ORDER BY ID_
    LIMIT ?)sql";

// Tests the expiry again: the owner may have renewed the lock since the page was read.
constexpr std::string_view kReset = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...) AND LOCK_EXP_TIME_ < ?)sql";

/// A job whose lock has expired.
struct Expired {
    std::string id;
    std::string series;
};

constexpr std::array kPlacesWithLocks{
    JobPlace::executable,
    JobPlace::timer,
    JobPlace::external_worker};

std::vector<Expired>
read_expired(Connection& connection, JobPlace place, schema::TimePoint now, std::size_t limit) {
    const std::string sql = fmt::format(kExpired, fmt::arg("table", schema::table_of(place)));
    const std::array<Value, 2> parameters{now, static_cast<std::int64_t>(limit)};
    std::vector<Expired> expired;
    connection.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
        expired.push_back({.id = std::string(row.text(0)), .series = std::string(row.text(1))});
    });
    return expired;
}

/// The turns of series among them, which may not want to be run again; their rows are locked.
std::vector<Job>
lock_turns(Transaction& transaction, const std::vector<Expired>& expired, schema::TimePoint now) {
    std::vector<std::string_view> ids;
    for (const Expired& one : expired) {
        if (!one.series.empty()) {
            ids.emplace_back(one.id);
        }
    }
    std::vector<Job> turns = lock_rows(transaction, JobPlace::executable, ids);
    std::erase_if(turns, [now](const Job& turn) {
        return !turn.lock_expiration || *turn.lock_expiration >= now;
    });
    return turns;
}

/// Deletes those turns whose series says that a turn of a node that died is not run again.
std::int64_t let_go(
    Transaction& transaction,
    const SeriesTools& tools,
    std::vector<Job> turns,
    schema::TimePoint now
) {
    if (turns.empty()) {
        return 0;
    }
    std::vector<const Job*> jobs;
    for (const Job& turn : turns) {
        jobs.push_back(&turn);
    }
    SeriesTurns series(transaction, tools, jobs, now);
    std::erase_if(jobs, [&](const Job* turn) {
        const schema::Series* const found = series.series_of(*turn);
        return found == nullptr || found->recovery;
    });
    std::vector<std::string_view> ids;
    for (const Job* turn : jobs) {
        tools.log.write(
            schema::LogLevel::warn,
            "turn let go: its node died, and its series is not to be recovered",
            {{"job", turn->id}, {"series", turn->series}}
        );
        ids.emplace_back(turn->id);
        Job ended = *turn;
        series.run_ended(ended);
    }
    const std::int64_t deleted = delete_rows(transaction, JobPlace::executable, ids);
    delete_byte_arrays_of(transaction, jobs);
    series.write();
    return deleted;
}

std::int64_t reset(
    Transaction& transaction,
    JobPlace place,
    const std::vector<Expired>& expired,
    schema::TimePoint now
) {
    const std::string sql = fmt::format(
        kReset,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", dialect_of(transaction.kind()).by_id)
    );
    std::vector<std::string_view> ids;
    for (const Expired& one : expired) {
        ids.emplace_back(one.id);
    }
    std::int64_t freed = 0;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids, .after = {now}})) {
        freed += transaction.execute(text, parameters);
    }
    return freed;
}

}  // namespace

std::int64_t SqlJobStore::reset_expired_locks(schema::TimePoint now, std::size_t limit) {
    const SeriesTools tools = series_tools();
    std::int64_t total = 0;
    std::size_t rest = limit;
    for (const JobPlace place : kPlacesWithLocks) {
        std::vector<Expired> expired;
        // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
        runner_.read([&](Connection& connection) {
            expired = read_expired(connection, place, now, rest);
        });
        if (expired.empty()) {
            continue;
        }
        std::int64_t freed = 0;
        runner_.run(
            [&](Transaction& transaction) {
                freed = 0;
                if (place == JobPlace::executable) {
                    std::vector<Job> turns = lock_turns(transaction, expired, now);
                    freed = let_go(transaction, tools, std::move(turns), now);
                }
                freed += reset(transaction, place, expired, now);
            },
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
