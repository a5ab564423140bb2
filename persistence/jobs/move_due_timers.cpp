#include "persistence/candidates/served_condition.hpp"
#include "persistence/jobs/next_due.hpp"
#include "persistence/jobs/sql_timer_store.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/duplicate_ids.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/unreadable_rows.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kDue = R"sql(
    SELECT {columns}
    FROM ACT_RU_TIMER_JOB {by_due_date}
    WHERE DUEDATE_ <= ? {and_from} AND LOCK_EXP_TIME_ IS NULL {and_made_before} {and_others}
        {and_ours}
    ORDER BY DUEDATE_
    LIMIT ?
    {skip_locked})sql";

constexpr std::string_view kAndFrom = "AND DUEDATE_ >= ?";

constexpr std::string_view kAndMadeBefore =
    "AND (REPEAT_ IS NULL OR CREATE_TIME_ IS NULL OR CREATE_TIME_ < ?)";

schema::TimePoint last_due(const DueWindow& window) {
    return std::min(window.now, window.as_of.value_or(window.now)) + window.ahead;
}

JobRows select_due(
    Transaction& transaction,
    const DueWindow& window,
    std::size_t limit,
    const ServedJobs& served
) {
    const bool are_others_only = window.are_served_left && !served.types.empty();
    BoundStatement others =
        are_others_only ? condition_of_others(served, transaction.dialect()) : BoundStatement{};
    BoundStatement ours = and_ours_or_served(served, transaction.dialect());
    const std::string sql = fmt::format(
        kDue,
        fmt::arg("columns", selected_of(JobPlace::timer, transaction.dialect())),
        fmt::arg("by_due_date", by_index(transaction.dialect(), "JS_IDX_TIMER_DUE")),
        fmt::arg("and_from", window.from ? kAndFrom : ""),
        fmt::arg("and_made_before", window.as_of ? kAndMadeBefore : ""),
        fmt::arg("and_others", are_others_only ? "AND " + others.sql : ""),
        fmt::arg("and_ours", ours.sql),
        fmt::arg("skip_locked", transaction.dialect().skip_locked)
    );
    std::vector<Value> parameters{last_due(window)};
    if (window.from) {
        parameters.emplace_back(*window.from);
    }
    if (window.as_of) {
        parameters.emplace_back(*window.as_of);
    }
    std::ranges::move(others.parameters, std::back_inserter(parameters));
    std::ranges::move(ours.parameters, std::back_inserter(parameters));
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    JobRows due;
    due.jobs.reserve(limit);
    transaction.query(
        {.sql = sql, .columns = fields_of(JobPlace::timer).size()},
        parameters,
        append_to(due, JobPlace::timer)
    );
    return due;
}

// Exclusive jobs of an instance, and those that meet a limit, arrive free: each may have to wait.
void lock_served(
    std::vector<PlacedJob>& jobs,
    const LockClaim& claim,
    const StoreContext& context,
    const ServedJobs& served
) {
    const auto limits = context.limits.current();
    for (PlacedJob& placed : jobs) {
        if (placed.place == JobPlace::executable &&
            schema::exclusive_group(placed.job, context.exclusive_over).empty() &&
            !limits->meets(placed.job) && served.contains(placed.job)) {
            placed.job.lock_owner = claim.owner;
            placed.job.lock_expiration = claim.until;
        }
    }
}

std::vector<Job> locked_among(std::vector<PlacedJob> jobs) {
    std::vector<Job> locked;
    locked.reserve(jobs.size());
    for (PlacedJob& placed : jobs) {
        if (!placed.job.lock_owner.empty()) {
            locked.push_back(std::move(placed.job));
        }
    }
    return locked;
}

}  // namespace

DueTimers SqlTimerStore::move_due_timers(
    DueWindow window,
    PageLimit limit,
    const std::optional<LockClaim>& claim,
    const ServedJobs& served
) {
    DueTimers result;
    std::vector<std::string> ids;
    DuplicateIds duplicates;
    const auto move = [&](Transaction& transaction) {
        JobRows rows = select_due(transaction, window, limit.jobs, served);
        std::vector<Job>& due = rows.jobs;
        result.is_cut = claim && cut_to_bytes(transaction, due, limit.bytes);
        result.end = due.empty() ? std::nullopt : due.back().due_date;
        const std::size_t unreadable = rows.unreadable.size();
        const bool is_full = result.is_cut || due.size() + unreadable >= limit.jobs;
        if (window.when_found && is_full && result.end) {
            window.when_found(*result.end);
        }
        quarantine(transaction, context_, JobPlace::timer, rows);
        const std::size_t early = store_anew(transaction, due, last_due(window));
        MovePipeline moves(transaction, context_, JobPlace::timer, window.now);
        moves.copy_unchanged();
        moves.decide(std::move(due), schema::fell_due);
        if (claim) {
            lock_served(moves.leaving(), *claim, context_, served);
        }
        moves.write(&duplicates);
        ids = moves.leaving_ids();
        result.moved = moves.size() + unreadable + early;
        result.locked = locked_among(std::move(moves.leaving()));
        load_payloads(transaction, result.locked);
    };
    const auto was_committed = [&](Transaction& transaction) {
        if (ids.empty()) {
            return false;  // Turns that were left out are no longer due: again does no harm.
        }
        // That the timers are gone is no proof that they are ours: another node moves them too.
        return result.locked.empty()
                   ? !is_any_in(transaction, JobPlace::timer, ids)
                   : !held_for_update(transaction, claim->owner, fenced(result.locked)).empty();
    };
    run_diverting_duplicates(context_, duplicates, move, was_committed);
    return result;
}

}  // namespace jobstrand::persistence
