#include "persistence/jobs/executor_moves.hpp"
#include "persistence/series/abandoned_turns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

// One row about a part of the table, so that a part without an expired lock costs one statement.
// There is no index on the locks: each claim would have to write it.
constexpr std::string_view kPart = R"sql(
    SELECT COUNT(*), MAX(ID_), MIN(LOCK_EXP_TIME_)
    FROM (
        SELECT ID_, LOCK_EXP_TIME_
        FROM {table} {by_id}
        WHERE ID_ > ?
        ORDER BY ID_
        LIMIT ?
    ) part)sql";

constexpr std::string_view kExpired = R"sql(
    SELECT ID_, SERIES_
    FROM {table} {by_id}
    WHERE ID_ > ? AND ID_ <= ? AND LOCK_EXP_TIME_ < ?
    ORDER BY ID_)sql";

// The movers take the others away, so in a backlog too those that are locked come to the front.
constexpr std::string_view kExpiredTimers = R"sql(
    SELECT ID_, SERIES_
    FROM (
        SELECT ID_, SERIES_, LOCK_EXP_TIME_
        FROM ACT_RU_TIMER_JOB {by_due_date}
        WHERE DUEDATE_ <= ?
        ORDER BY DUEDATE_
        LIMIT ?
    ) part
    WHERE LOCK_EXP_TIME_ < ?)sql";

// Tests the expiry again: the owner may have renewed the lock since the part was read.
constexpr std::string_view kReset = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1{lost_start}
    WHERE ID_ IN (...) AND LOCK_EXP_TIME_ < ?)sql";

// Later starts are counted when they begin; of this one nobody knows.
constexpr std::string_view kLostStart =
    ", LOST_STARTS_ = CASE WHEN LOST_STARTS_ = 0 THEN 1 ELSE LOST_STARTS_ END";

std::string about(std::string_view sql, JobPlace place, const Dialect& dialect) {
    return fmt::format(
        fmt::runtime(sql),
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", dialect.by_id),
        fmt::arg("lost_start", place == JobPlace::executable ? kLostStart : "")
    );
}

/// A job whose lock has expired.
struct Expired {
    std::string id;
    std::string series;
};

std::vector<Expired>
read_expired(Connection& connection, const std::string& sql, std::span<const Value> parameters) {
    std::vector<Expired> expired;
    connection.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
        expired.push_back({.id = std::string(row.text(0)), .series = std::string(row.text(1))});
    });
    return expired;
}

/// A part of a table, and what is expired in it.
struct RowsRead {
    std::string end;  ///< Empty: the table ends in it.
    std::vector<Expired> expired;
};

RowsRead read_part(Connection& connection, JobPlace place, const LockSearch& search) {
    std::string last;
    std::size_t count = 0;
    std::optional<schema::TimePoint> first_expiry;
    const std::array<Value, 2> bounds{search.after, static_cast<std::int64_t>(search.rows)};
    connection.query(
        {.sql = about(kPart, place, connection.dialect()), .columns = 3},
        bounds,
        [&](const Row& row) {
            count = static_cast<std::size_t>(row.integer(0));
            last = row.text(1);
            first_expiry = row.time(2);
        }
    );
    RowsRead part;
    if (first_expiry && *first_expiry < search.now) {
        const std::array<Value, 3> parameters{search.after, std::string_view(last), search.now};
        part.expired =
            read_expired(connection, about(kExpired, place, connection.dialect()), parameters);
    }
    if (count == search.rows) {
        part.end = std::move(last);
    }
    return part;
}

RowsRead read_due_timers(Connection& connection, const LockSearch& search) {
    const std::string sql = fmt::format(
        kExpiredTimers, fmt::arg("by_due_date", by_index(connection.dialect(), "JS_IDX_TIMER_DUE"))
    );
    const std::array<Value, 3> parameters{
        search.now, static_cast<std::int64_t>(search.rows), search.now};
    RowsRead part{.end = {}, .expired = read_expired(connection, sql, parameters)};
    std::ranges::sort(part.expired, {}, &Expired::id);
    return part;
}

std::int64_t reset(
    Transaction& transaction,
    JobPlace place,
    std::span<const Expired> expired,
    schema::TimePoint now
) {
    std::vector<std::string_view> ids;
    for (const Expired& one : expired) {
        ids.emplace_back(one.id);
    }
    const std::string sql = about(kReset, place, transaction.dialect());
    std::int64_t freed = 0;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids, .after = {now}})) {
        freed += transaction.execute(text, parameters);
    }
    return freed;
}

/// The running turns of series among them.
std::vector<std::string_view> turns_among(std::span<const Expired> expired, JobPlace place) {
    std::vector<std::string_view> ids;
    for (const Expired& one : expired) {
        if (place == JobPlace::executable && !one.series.empty()) {
            ids.emplace_back(one.id);
        }
    }
    return ids;
}

}  // namespace

LockReset
reset_expired_locks(const StoreContext& context, JobPlace place, const LockSearch& search) {
    RowsRead part;
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    context.runner.read([&](Connection& connection) {
        part = place == JobPlace::timer ? read_due_timers(connection, search)
                                        : read_part(connection, place, search);
    });
    LockReset done{.freed = 0, .end = std::move(part.end)};
    for (std::span<const Expired> rest(part.expired); !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), search.page));
        std::int64_t freed = 0;
        const std::vector<std::string_view> turns = turns_among(page, place);
        context.runner.run(
            [&](Transaction& transaction) {
                freed = let_go_unrecoverable(transaction, context, turns, search.now);
                freed += reset(transaction, place, page, search.now);
            },
            [](Transaction&) { return true; }  // If not, the next look finds them again.
        );
        done.freed += freed;
        rest = rest.subspan(page.size());
    }
    return done;
}

}  // namespace jobstrand::persistence
