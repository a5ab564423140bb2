#include "executor/locks/held_release.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/job_transition.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

namespace jobstrand::executor {

void HeldRelease::free(std::vector<HeldJobPtr> jobs) {
    std::ranges::move(use_.order.take_behind(jobs), std::back_inserter(jobs));
    if (jobs.empty()) {
        return;
    }
    // Defended catch: who has no place for a job cannot wait for the database.
    try {
        release(jobs);
    } catch (const persistence::DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            "jobs could not be freed yet; it is tried again",
            {{"jobs", jobs.size()}, {"error", error.what()}}
        );
        {
            const std::lock_guard lock(mutex_);
            std::ranges::move(jobs, std::back_inserter(left_));
        }
        if (wake_) {
            wake_();
        }
    }
}

schema::Duration HeldRelease::run_once() {
    std::vector<HeldJobPtr> jobs;
    {
        const std::lock_guard lock(mutex_);
        jobs.swap(left_);
    }
    if (jobs.empty()) {
        return kUntilWoken;
    }
    // Defended catch: the loop tells of it and comes again, and finds them here.
    try {
        release(jobs);
    } catch (const persistence::DbError&) {
        const std::lock_guard lock(mutex_);
        std::ranges::move(jobs, std::back_inserter(left_));
        throw;
    }
    use_.wake_ups.jobs_are_there();
    return schema::Duration{0};  // Others may have been left meanwhile.
}

void HeldRelease::release(const std::vector<HeldJobPtr>& jobs) {
    use_.store.release(lock_owner_, fences_of(jobs));
    for (const HeldJobPtr& held : jobs) {
        use_.held.remove(held->job);
    }
}

void HeldRelease::give_back(std::vector<HeldJobPtr> jobs) {
    std::ranges::move(use_.order.take_behind(jobs), std::back_inserter(jobs));
    if (jobs.empty() || stay_executable_ || !use_.wake_ups.is_mover_here()) {
        free(std::move(jobs));
        return;
    }
    const schema::TimePoint now = use_.clock.now();
    schema::TimePoint first_due = now;
    std::vector<persistence::Outcome> outcomes;
    for (const HeldJobPtr& held : jobs) {
        const std::shared_ptr<const schema::Job> job(held, &held->job);
        outcomes.push_back({.job = job, .transition = schema::given_back(*job, now)});
        first_due = std::min(first_due, job->due_date.value_or(now));
    }
    try {
        for (std::size_t i = 0; i < outcomes.size(); i += schema::limits::kJobsPerTransaction) {
            const auto rest = std::span(outcomes).subspan(i);
            const std::size_t count = std::min(rest.size(), schema::limits::kJobsPerTransaction);
            (void)use_.store.apply(lock_owner_, rest.first(count));
        }
        use_.held.remove_all_of(outcomes);
    } catch (const persistence::DbError&) {
        free(std::move(jobs));  // Harmless for those that are given back: their locks are gone.
    }
    use_.wake_ups.timer_was_stored(first_due);
}

}  // namespace jobstrand::executor
