#include "persistence/claims/page_claims.hpp"
#include "persistence/jobs/executor_moves.hpp"
#include "persistence/jobs/locked_rows.hpp"
#include "persistence/rows/ids_of.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/series/abandoned_turns.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/id_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;

// Tests the expiry again: the owner may have renewed the lock since the part was read.
constexpr std::string_view kReset = R"sql(
    UPDATE {table} {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = COALESCE(REV_, 1) + 1{lost_start}
    WHERE ID_ IN (...) AND LOCK_EXP_TIME_ < ?)sql";

// Later starts are counted when they begin; of this one nobody knows.
constexpr std::string_view kLostStart =
    ", LOST_STARTS_ = CASE WHEN LOST_STARTS_ = 0 THEN 1 ELSE LOST_STARTS_ END";

std::int64_t reset(
    Transaction& transaction,
    JobPlace place,
    std::span<const LockedRow> expired,
    schema::TimePoint now
) {
    const std::string sql = fmt::format(
        kReset,
        fmt::arg("table", schema::table_of(place)),
        fmt::arg("by_id", transaction.dialect().by_id),
        fmt::arg("lost_start", place == JobPlace::executable ? kLostStart : "")
    );
    const std::vector<std::string_view> ids = ids_of(expired);
    std::int64_t freed = 0;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = ids, .after = {now}})) {
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

/// Sets aside what nobody could ever free. Nearly always there is nothing.
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

LockReset
reset_expired_locks(const StoreContext& context, JobPlace place, const LockSearch& search) {
    PartRead part;
    // Read apart from the write: on SQLite nearly every pass then leaves the writer alone.
    context.runner.read([&](Connection& connection) {
        part = read_locks(connection, place, search);
    });
    set_aside_locked(context, place, part);
    const bool have_claims = place == JobPlace::executable;
    LockReset done{
        .freed = have_claims ? reset_expired_claims(context, search.now) : 0,
        .end = std::move(part.end),
        .first = std::move(part.first)};
    for (std::span<const LockedRow> rest(part.expired); !rest.empty();) {
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
