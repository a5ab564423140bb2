#include "persistence/claims/page_claims.hpp"
#include "persistence/history/job_log_page.hpp"
#include "persistence/jobs/locked_rows.hpp"
#include "persistence/jobs/lonely_marks.hpp"
#include "persistence/rows/ids_of.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/series/abandoned_turns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

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

std::int64_t reset_claims(const StoreContext& context, schema::TimePoint now) {
    const auto log = [&](Transaction& transaction,
                         const std::string& owner,
                         const ClaimedJobs& claimed) {
        std::vector<std::string_view> ids;
        for (const auto& [id, revision] : claimed) {
            ids.emplace_back(id);
        }
        log_interrupted(transaction, context, ids, now, [&](const schema::Job& job) {
            const bool is_lost = job.lock_owner.empty() && is_named(claimed, job.id, job.revision);
            return is_lost ? owner : std::string();
        });
    };
    return reset_expired_claims(context, now, log);
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
    std::int64_t freed = 0;
    for (const auto& [text, parameters] : cut_id_list(sql, list)) {
        freed += transaction.execute(text, parameters);
    }
    return freed;
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
    if (!search.owner.empty()) {
        return read_locks_of_owner(connection, place, search);
    }
    return place == JobPlace::timer ? read_due_timers(connection, search)
                                    : read_part(connection, place, search);
}

/// Quarantines the rows that nobody could ever free. Nearly always there are none.
void set_aside_locked(const StoreContext& context, JobPlace place, const PartRead& part) {
    if (part.unreadable.empty() && !part.is_any_nameless) {
        return;
    }
    const auto set_them_aside = [&](Transaction& transaction) {
        JobRows rows = checked_for_update(transaction, place, ids_of(part.unreadable));
        rows.is_any_nameless = part.is_any_nameless;
        set_aside(transaction, context, place, rows);
    };
    context.runner.run(set_them_aside, run_again);
}

}  // namespace

LockReset SqlExecutorStore::reset_expired_locks(JobPlace place, const LockSearch& search) {
    PartRead part;
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    context_.runner.read([&](Connection& connection) {
        part = read_locks(connection, place, search);
    });
    set_aside_locked(context_, place, part);
    const bool have_claims = place == JobPlace::executable;
    LockReset done{
        .freed = have_claims ? reset_claims(context_, search.now) : 0,
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
