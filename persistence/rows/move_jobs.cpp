#include "persistence/rows/move_jobs.hpp"

#include "persistence/rows/ids_of.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/shared/execution_counts.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Transition;

PlacedJob changed(Job&& job, const Transition& transition) {
    job.lock_owner.clear();
    job.lock_expiration.reset();
    job.due_date = transition.due_date;
    job.retries = transition.retries;
    job.attempts = transition.attempts;
    job.suspended_from = transition.suspended_from;
    job.needs.clear();
    job.lost_starts = 0;
    job.failed_time = transition.failed_time;
    if (transition.failure) {
        job.exception_message = transition.failure->message;
    }
    if (transition.outcome) {
        job.type = schema::kMessageType;
        job.handler_type = schema::kWorkerOutcomeType;
        job.payload = *transition.outcome;
    }
    return {.place = transition.to.value(), .job = std::move(job)};
}

/// A dead letter does not keep its unique key: nobody may look at it for ever.
void free_keys_of_dead(Transaction& transaction, std::span<const PlacedJob* const> jobs) {
    std::vector<const Job*> dead;
    for (const PlacedJob* placed : jobs) {
        if (placed->place == JobPlace::dead_letter) {
            dead.push_back(&placed->job);
        }
    }
    free_keys_of(transaction, dead);
}

void count_moves(Transaction& transaction, JobPlace from, std::span<const PlacedJob* const> jobs) {
    ExecutionCounts counts(transaction);
    for (const PlacedJob* placed : jobs) {
        counts.leaves(from, placed->job);
        counts.enters(placed->place, placed->job);
    }
    counts.write();
}

bool is_for_anybody(const PlacedJob* placed) {
    return placed->place == JobPlace::executable && placed->job.lock_owner.empty();
}

}  // namespace

PlacedJob moved(Job row, const Transition& transition) {
    ++row.revision;
    return changed(std::move(row), transition);
}

PlacedJob redirected(PlacedJob placed, const Transition& transition) {
    return changed(std::move(placed.job), transition);
}

PlacedJob diverted(PlacedJob placed) {
    const Transition transition = schema::suspended(placed.job, placed.place);
    return redirected(std::move(placed), transition);
}

void divert_suspended(Transaction& transaction, std::span<PlacedJob> jobs) {
    std::vector<const Job*> candidates;
    for (const PlacedJob& placed : jobs) {
        if (schema::can_be_suspended(placed.place)) {
            candidates.push_back(&placed.job);
        }
    }
    const SuspendedScopes suspended = find_suspended(transaction, candidates);
    for (PlacedJob& placed : jobs) {
        if (schema::can_be_suspended(placed.place) && suspended.contain(placed.job)) {
            placed = diverted(std::move(placed));
        }
    }
}

void insert_placed(Transaction& transaction, std::span<const PlacedJob* const> jobs) {
    if (std::ranges::any_of(jobs, is_for_anybody)) {
        transaction.announce_jobs();
    }
    std::map<JobPlace, std::vector<const Job*>> by_place;
    for (const PlacedJob* placed : jobs) {
        by_place[placed->place].push_back(&placed->job);
    }
    for (const auto& [place, rows] : by_place) {
        insert_rows(transaction, place, rows);
    }
}

void move_rows(Transaction& transaction, JobPlace from, std::span<const PlacedJob> jobs) {
    std::vector<const PlacedJob*> placed;
    placed.reserve(jobs.size());
    for (const PlacedJob& job : jobs) {
        placed.push_back(&job);
    }
    std::ranges::sort(placed, {}, [](const PlacedJob* job) {
        return std::string_view(job->job.id);
    });
    const std::vector<std::string_view> ids = ids_of(placed);
    count_moves(transaction, from, placed);
    insert_placed(transaction, placed);
    free_keys_of_dead(transaction, placed);
    const std::int64_t deleted = delete_rows(transaction, from, ids);
    if (deleted != static_cast<std::int64_t>(ids.size())) {
        // Never seen where row locks work; the cluster databases with local locks are why it is
        // tested.
        throw DbError(
            DbErrorKind::conflict,
            fmt::format(
                "{} of {} jobs left {} while they were being moved",
                static_cast<std::int64_t>(ids.size()) - deleted,
                ids.size(),
                schema::table_of(from)
            )
        );
    }
}

}  // namespace jobstrand::persistence
