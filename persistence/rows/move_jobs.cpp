#include "persistence/rows/move_jobs.hpp"

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
        job.candidate_users.clear();  // It is the app's now.
        job.candidate_groups.clear();
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

void sort_by_id(std::vector<const PlacedJob*>& jobs) {
    std::ranges::sort(jobs, {}, [](const PlacedJob* job) { return std::string_view(job->job.id); });
}

void copy_placed(Transaction& transaction, JobPlace from, std::span<const PlacedJob* const> jobs) {
    if (std::ranges::any_of(jobs, is_for_anybody)) {
        transaction.announce_jobs();
    }
    std::map<JobPlace, std::vector<const PlacedJob*>> by_place;
    for (const PlacedJob* placed : jobs) {
        by_place[placed->place].push_back(placed);
    }
    for (const auto& [place, rows] : by_place) {
        copy_rows(transaction, from, rows);
    }
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

void move_rows(
    Transaction& transaction,
    JobPlace from,
    std::span<const PlacedJob> jobs,
    const std::vector<bool>& are_copies
) {
    std::vector<const PlacedJob*> written;
    std::vector<const PlacedJob*> copied;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const bool is_copy = !are_copies.empty() && are_copies[i];
        (is_copy ? copied : written).push_back(&jobs[i]);
    }
    sort_by_id(written);
    sort_by_id(copied);
    count_moves(transaction, from, written);
    insert_placed(transaction, written);
    free_keys_of_dead(transaction, written);
    copy_placed(transaction, from, copied);
    written.insert(written.end(), copied.begin(), copied.end());
    sort_by_id(written);
    const std::vector<std::string_view> ids = ids_of(written);
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
