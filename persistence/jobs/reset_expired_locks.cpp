#include "persistence/executor_store.hpp"
#include "persistence/history/history_book.hpp"
#include "persistence/limits/waiting_jobs.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

namespace {

/// A job whose lock has expired, or one whose lock nobody can read.
struct LockedRow {
    std::string id;
    std::string series;
};

/// A part of a table, and what is to be done in it.
struct PartRead {
    std::string first;  ///< Empty: there is no row in it.
    std::string end;    ///< Empty: the table ends in it.
    std::vector<LockedRow> expired;
    std::vector<LockedRow> unreadable;
    bool is_any_nameless = false;
    std::string last;          ///< Of read_part(); empty: there is no row in it.
    bool do_any_wait = false;  ///< Of read_part(): there are locks that nearly never end.
};

// One row about a part of the table, so that a part without an expired lock costs one statement.
// There is no index on the locks: each claim would have to write it.
constexpr std::string_view kPart = R"sql(
    SELECT MAX(ID_), COUNT(*), MIN(LOCK_EXP_TIME_), MAX(LOCK_EXP_TIME_), MIN(ID_)
    FROM (
        SELECT ID_, LOCK_EXP_TIME_
        FROM {table} {by_id}
        WHERE {behind}
        ORDER BY ID_
        LIMIT ?
    ) part)sql";

constexpr std::string_view kLocked = R"sql(
    SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
    FROM {table} {by_id}
    WHERE ID_ >= ? AND ID_ <= ? AND LOCK_EXP_TIME_ IS NOT NULL {and_ours}
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kLockedBy = R"sql(
    SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
    FROM {table}
    WHERE ID_ >= ? AND LOCK_OWNER_ IN (...)
    ORDER BY ID_
    LIMIT ?)sql";

constexpr std::string_view kLockedTimers = R"sql(
    SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
    FROM (
        SELECT ID_, SERIES_, REV_, LOCK_EXP_TIME_
        FROM ACT_RU_TIMER_JOB {by_due_date}
        WHERE DUEDATE_ <= ? {and_ours}
        ORDER BY DUEDATE_
        LIMIT ?
    ) part
    WHERE LOCK_EXP_TIME_ IS NOT NULL)sql";

/// No lock of a node lasts for so long; marks of those that wait do.
constexpr schema::Duration kNearlyNever = std::chrono::hours(24 * 365);

/// nullopt: it is NULL, or unreadable.
struct LockTime {
    std::optional<schema::TimePoint> time;
    bool is_readable = true;
};

LockTime lock_time_in(const Row& row, std::size_t column) {
    if (row.is_null(column)) {
        return {};
    }
    const auto time = parse_sql_time(row.text(column));
    return {.time = time, .is_readable = time.has_value()};
}

/// Whether REV_ can be raised.
bool has_sound_revision(const Row& row, std::size_t column) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max() - 1;
    // Defended catch: see read_job.
    try {
        return row.integer(column) <= kMost;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::unreadable) {
            throw;
        }
        return false;
    }
}

/// Puts each row of a SELECT to those that it belongs to.
RowReader sort_into(PartRead& part, schema::TimePoint now) {
    return [&part, now](const Row& row) {
        const bool is_bytes = row.is_bytes(0);
        LockedRow locked{.id = std::string(row.text(0)), .series = std::string(row.text(1))};
        const LockTime expiry = lock_time_in(row, 3);
        if (is_bytes || locked.id.empty()) {
            part.is_any_nameless = true;
        } else if (!expiry.is_readable || !has_sound_revision(row, 2)) {
            part.unreadable.push_back(std::move(locked));
        } else if (expiry.time && *expiry.time < now) {
            part.expired.push_back(std::move(locked));
        }
    };
}

/// The first `search.rows` rows behind `search.after`, in id order.
PartRead read_part(Connection& connection, JobPlace place, const LockSearch& search) {
    const Dialect& dialect = connection.dialect();
    const auto with_bounds = [&](std::string_view sql) {
        return fmt::format(
            fmt::runtime(sql),
            fmt::arg("table", schema::table_of(place)),
            fmt::arg("by_id", dialect.by_id),
            fmt::arg("behind", ids_behind(search.after)),
            fmt::arg("and_ours", and_ours(dialect))
        );
    };
    PartRead part;
    std::string last;
    std::size_t count = 0;
    bool is_any_due = false;
    const std::array<Value, 2> bounds{search.after, static_cast<std::int64_t>(search.rows)};
    connection.query({.sql = with_bounds(kPart), .columns = 5}, bounds, [&](const Row& row) {
        part.is_any_nameless = row.is_bytes(0);
        last = row.text(0);
        part.first = row.text(4);
        count = static_cast<std::size_t>(row.integer(1));
        const LockTime first = lock_time_in(row, 2);
        // Texts that are no times stand before all times, or behind them.
        is_any_due = !first.is_readable || (first.time && *first.time < search.now) ||
                     !lock_time_in(row, 3).is_readable;
        part.do_any_wait = lock_time_in(row, 3).time > search.now + kNearlyNever;
    });
    if (is_any_due && !part.is_any_nameless) {
        const std::array<Value, 1> end{std::string_view(last)};
        const std::string sql = with_bounds(kLocked);
        const RowReader read = sort_into(part, search.now);
        query_in_pieces(connection, {.sql = sql, .columns = 4}, search.after, end, read);
    }
    if (count == search.rows && !part.is_any_nameless) {
        part.end = last;
    }
    part.last = std::move(last);
    return part;
}

/// All rows that `search.owners` have locked.
PartRead read_locks_of_owners(Connection& connection, JobPlace place, const LockSearch& search) {
    const std::string sql = fmt::format(kLockedBy, fmt::arg("table", schema::table_of(place)));
    const std::vector<std::string_view> owners(search.owners.begin(), search.owners.end());
    PartRead part;
    const RowReader read = sort_into(part, search.now);
    for (const auto& [text, values] : cut_id_list(sql, {.ids = owners})) {
        query_in_pieces(connection, {.sql = text, .columns = 4}, "", values, read);
    }
    return part;
}

/// The first `search.rows` due timers: the movers take the others away, so in a backlog too those
/// that are locked come to the front.
PartRead read_due_timers(Connection& connection, const LockSearch& search) {
    const std::string sql = fmt::format(
        kLockedTimers,
        fmt::arg("by_due_date", by_index(connection.dialect(), "JS_IDX_TIMER_DUE")),
        fmt::arg("and_ours", and_ours(connection.dialect()))
    );
    const std::array<Value, 2> parameters{search.now, static_cast<std::int64_t>(search.rows)};
    PartRead part;
    connection.query({.sql = sql, .columns = 4}, parameters, sort_into(part, search.now));
    std::ranges::sort(part.expired, {}, &LockedRow::id);
    std::ranges::sort(part.unreadable, {}, &LockedRow::id);
    return part;
}

/// Those whose lock was renewed meanwhile are left out.
std::vector<Job> expired_for_update(
    Transaction& transaction,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    std::vector<Job> turns = rows_for_update(transaction, JobPlace::executable, ids);
    std::erase_if(turns, [now](const Job& turn) {
        return !turn.lock_expiration || *turn.lock_expiration >= now;
    });
    return turns;
}

/// Deletes those of the given turns, executable jobs with an expired lock, whose series says that a
/// turn is not run again when its node died; the series goes on. Returns how many. Each is logged.
std::int64_t let_go_unrecoverable(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    if (ids.empty()) {
        return 0;
    }
    std::vector<Job> turns = expired_for_update(transaction, ids, now);
    MovePipeline moves(transaction, context, JobPlace::executable, now);
    moves.decide(std::move(turns), schema::let_go);
    moves.write();
    return static_cast<std::int64_t>(moves.deleted());
}

/// Rows of ACT_RU_JOB by their ids.
struct RowsBetween {
    std::string_view after;  ///< Exclusive; empty: from the start.
    std::string_view last;
};

constexpr std::int64_t kOfOneLook = 200;

/// After that it looks at others.
constexpr schema::Duration kTurn = std::chrono::seconds(10);

/// Where so many wait it looks in every sixth turn only, since it reads all that their room knows.
constexpr std::int64_t kMany = 10 * kOfOneLook;

constexpr std::string_view kCount = R"sql(
    SELECT COUNT(*)
    FROM ACT_RU_JOB
    WHERE {behind} AND ID_ <= ? AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kMarked = R"sql(
    SELECT ID_
    FROM ACT_RU_JOB
    WHERE {behind} AND ID_ <= ? AND LOCK_OWNER_ = ?
    ORDER BY ID_
    LIMIT ? OFFSET ?)sql";

constexpr std::string_view kInRoom = R"sql(
    SELECT ID_
    FROM {table}
    WHERE ID_ IN (...))sql";

using Ids = std::set<std::string, std::less<>>;

/// Those of the marked ids that the room does not know. The mark was read first: who has left the
/// room in between has lost it.
[[nodiscard]] Ids lonely_ids(
    Connection& connection,
    const WaitingRoom& room,
    const RowsBetween& rows,
    schema::TimePoint now
) {
    const std::string_view behind = ids_behind(rows.after);
    std::vector<Value> parameters{rows.after, rows.last, room.mark};
    const std::int64_t count =
        one_number(connection, fmt::format(kCount, fmt::arg("behind", behind)), parameters);
    if (count == 0) {
        return {};
    }
    const std::int64_t turns = now.time_since_epoch() / kTurn;
    const std::int64_t per_look = count > kMany ? 6 : 1;
    if (turns % per_look != 0) {
        return {};
    }
    const std::int64_t looks = (count + kOfOneLook - 1) / kOfOneLook;
    const std::int64_t turn = turns / per_look % looks;
    parameters.insert(parameters.end(), {kOfOneLook, turn * kOfOneLook});
    Ids ids;
    connection.query(
        {.sql = fmt::format(kMarked, fmt::arg("behind", behind)), .columns = 1},
        parameters,
        [&](const Row& row) { ids.emplace(row.text(0)); }
    );
    const std::vector<std::string_view> marked(ids.begin(), ids.end());
    const std::string in_room = fmt::format(kInRoom, fmt::arg("table", room.table));
    query_for_ids(connection, {.sql = in_room, .columns = 1}, {.ids = marked}, [&](const Row& row) {
        if (const auto found = ids.find(row.text(0)); found != ids.end()) {
            ids.erase(found);
        }
    });
    return ids;
}

/// Frees jobs whose mark says that they wait, while no row of their room knows it: tables were
/// restored one by one, or somebody deleted rows by SQL. Nobody would ever take them out. Of very
/// many that wait another few hundred are looked at each time. Returns how many were freed.
std::int64_t
free_lonely_marks(const StoreContext& context, const RowsBetween& rows, schema::TimePoint now) {
    std::int64_t freed = 0;
    for (const WaitingRoom& room : {kForExclusive, kForLimit}) {
        const Ids lonely = context.runner.read([&](Connection& connection) {
            return lonely_ids(connection, room, rows, now);
        });
        if (lonely.empty()) {
            continue;
        }
        const std::vector<std::string_view> ids(lonely.begin(), lonely.end());
        std::int64_t of_room = 0;
        context.runner.run(
            [&](Transaction& transaction) { of_room = free_waiting(transaction, room, ids); },
            run_again
        );
        freed += of_room;
    }
    return freed;
}

// Tests the expiry again: the owner may have renewed the lock since the part was read.
constexpr std::string_view kReset = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1
    WHERE ID_ IN (...) AND LOCK_EXP_TIME_ < ?)sql";

// Later starts are counted when they begin; of this one nobody knows. One whose counted start was
// lost is not free before the time that was written with it: until then nobody's lock keeps it.
constexpr std::string_view kResetStarted = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_OWNER_ = CASE WHEN LOST_STARTS_ > 1 AND DUEDATE_ > ? THEN {nobody} END,
        LOCK_EXP_TIME_ = CASE WHEN LOST_STARTS_ > 1 AND DUEDATE_ > ? THEN DUEDATE_ END,
        REV_ = COALESCE(REV_, 1) + 1,
        LOST_STARTS_ = CASE WHEN LOST_STARTS_ = 0 THEN 1 ELSE LOST_STARTS_ END
    WHERE ID_ IN (...) AND LOCK_EXP_TIME_ < ?)sql";

/// Tells of the jobs that lose a lock now: `owner_if_lost` says whose, or nothing.
void log_interrupted(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    schema::TimePoint now,
    const std::function<std::string(const schema::Job&)>& owner_if_lost
) {
    JobLogPage log(context.history);
    if (!log.wants(schema::JobEvent::interrupted)) {
        return;
    }
    for (const schema::Job& job : rows_for_update(transaction, JobPlace::executable, ids)) {
        if (const std::string owner = owner_if_lost(job); !owner.empty()) {
            log.add_interrupted(job, owner, now);
        }
    }
    log.write(transaction);
}

std::int64_t reset_claims(const StoreContext& context, const LockSearch& search) {
    const schema::TimePoint now = search.now;
    const auto log = [&](Transaction& transaction,
                         const std::string& owner,
                         const ClaimedJobs& claimed) {
        const std::vector<std::string_view> ids = keys_in(claimed);
        log_interrupted(transaction, context, ids, now, [&](const schema::Job& job) {
            const bool is_lost = job.lock_owner.empty() && is_named(claimed, job.id, job.revision);
            return is_lost ? owner : std::string();
        });
    };
    return reset_expired_claims(context, now, search.owners, log);
}

std::int64_t reset(
    Transaction& transaction,
    JobPlace place,
    std::span<const LockedRow> expired,
    schema::TimePoint now
) {
    const bool may_be_started = place == JobPlace::executable;
    const std::string sql = fmt::format(
        fmt::runtime(may_be_started ? kResetStarted : kReset),
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", transaction.dialect().by_id),
        fmt::arg("nobody", "'suspect'")
    );
    const std::vector<std::string_view> ids = ids_of(expired);
    IdListParameters list{.ids = ids, .after = {now}};
    if (may_be_started) {
        list.before = {now, now};
    }
    return execute_for_ids(transaction, sql, list);
}

/// The running turns of series among them.
std::vector<std::string_view> turns_among(std::span<const LockedRow> expired, JobPlace place) {
    std::vector<std::string_view> ids;
    for (const LockedRow& one : expired) {
        if (place == JobPlace::executable && !one.series.empty()) {
            ids.emplace_back(one.id);
        }
    }
    return ids;
}

PartRead read_locks(Connection& connection, JobPlace place, const LockSearch& search) {
    if (!search.owners.empty()) {
        return read_locks_of_owners(connection, place, search);
    }
    return place == JobPlace::timer ? read_due_timers(connection, search)
                                    : read_part(connection, place, search);
}

/// Quarantines the rows that nobody could ever free. Nearly always there are none.
void quarantine_locked(const StoreContext& context, JobPlace place, const PartRead& part) {
    if (part.unreadable.empty() && !part.is_any_nameless) {
        return;
    }
    const auto set_them_aside = [&](Transaction& transaction) {
        JobRows rows = checked_for_update(transaction, place, ids_of(part.unreadable));
        rows.is_any_nameless = part.is_any_nameless;
        quarantine(transaction, context, place, rows);
    };
    context.runner.run(set_them_aside, run_again);
}

}  // namespace

LockReset SqlExecutorStore::reset_expired_locks(JobPlace place, const LockSearch& search) {
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    PartRead part = context_.runner.read([&](Connection& connection) {
        return read_locks(connection, place, search);
    });
    quarantine_locked(context_, place, part);
    const bool have_claims = place == JobPlace::executable;
    LockReset done{
        .freed = have_claims ? reset_claims(context_, search) : 0,
        .end = std::move(part.end),
        .first = std::move(part.first)};
    if (have_claims && part.do_any_wait) {
        done.freed += free_lonely_marks(context_, {search.after, part.last}, search.now);
    }
    for (std::span<const LockedRow> rest(part.expired); !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), search.page));
        std::int64_t freed = 0;
        const std::vector<std::string_view> turns = turns_among(page, place);
        context_.runner.run(
            [&](Transaction& transaction) {
                freed = let_go_unrecoverable(transaction, context_, turns, search.now);
                if (place == JobPlace::executable) {
                    const auto owner = [now = search.now](const schema::Job& job) {
                        const bool is_lost = job.lock_expiration && *job.lock_expiration < now;
                        return is_lost ? job.lock_owner : std::string();
                    };
                    log_interrupted(transaction, context_, ids_of(page), search.now, owner);
                }
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
