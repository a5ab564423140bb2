#include "executor/held_locks.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/job_transition.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace jobstrand::executor {

LockRenewal::LockRenewal(
    Dependencies dependencies,
    std::string lock_owner,
    schema::Duration lock_time
)
    : use_(dependencies), lock_owner_(std::move(lock_owner)), lock_time_(lock_time) {}

schema::Duration LockRenewal::run_once() {
    const schema::SteadyPoint started = use_.clock.steady_now();
    // While the database is away nobody renews: a handler must not run on into another node's lock.
    use_.held.lost(use_.held.expired(started));

    renew(started, started + lock_time_ * 2 / 3);
    const bool is_late = use_.clock.steady_now() - started > lock_time_ / 3;
    return is_late ? schema::Duration{0} : lock_time_ / 3;
}

void LockRenewal::renew(schema::SteadyPoint now, schema::SteadyPoint ending_before) {
    const std::vector<persistence::Fence> fences = use_.held.expiring_before(ending_before);
    if (fences.empty()) {
        return;
    }
    const std::vector<std::string> lost = use_.held.without_taken(use_.store.extend_locks(
        {.owner = lock_owner_, .until = use_.clock.now() + lock_time_}, fences
    ));
    use_.held.lost(lost);
    use_.held.extended(fences, now + lock_time_);
    for (const std::string& id : lost) {
        use_.log.write(
            schema::LogLevel::info, "lock lost: the running job is told to stop", {{"job", id}}
        );
    }
}

namespace {

/// An operator who cancels a job waits for its end.
constexpr schema::Duration kWatchInterval = std::chrono::seconds(1);

}  // namespace

LockWatch::LockWatch(Dependencies dependencies, std::string lock_owner)
    : use_(dependencies), lock_owner_(std::move(lock_owner)) {}

schema::Duration LockWatch::run_once() {
    std::vector<persistence::Fence> fences;
    for (const HeldJobPtr& held : running_for_long()) {
        if (!held->stop.stop_requested()) {
            fences.push_back(
                {.id = held->job.id, .revision = held->job.revision, .claim = held->job.claim}
            );
        }
    }
    if (fences.empty()) {
        return kWatchInterval;
    }
    std::ranges::sort(fences, {}, &persistence::Fence::id);
    for (const std::string& id : use_.held.taken_away(use_.store.not_held(lock_owner_, fences))) {
        use_.log.write(
            schema::LogLevel::info,
            "the running job was taken away, or its lock is lost: it is told to stop",
            {{"job", id}}
        );
    }
    return kWatchInterval;
}

std::vector<HeldJobPtr> LockWatch::running_for_long() {
    std::vector<HeldJobPtr> now = use_.held.running();
    std::ranges::sort(now);
    std::vector<HeldJobPtr> both;
    std::ranges::set_intersection(now, running_, std::back_inserter(both));
    running_ = std::move(now);
    return both;
}

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

namespace {

/// Between two looks for what a commit may still bring.
constexpr schema::Duration kLook = std::chrono::seconds(1);

}  // namespace

void DoubtfulClaims::add(schema::TimePoint until, schema::SteadyPoint locked_at) {
    {
        const std::lock_guard lock(mutex_);
        doubts_.push_back({.until = until, .locked_at = locked_at});
    }
    if (wake_) {
        wake_();
    }
}

schema::Duration DoubtfulClaims::run_once() {
    std::vector<Doubt> doubts;
    {
        const std::lock_guard lock(mutex_);
        std::erase_if(doubts_, [now = clock_.now()](const Doubt& doubt) {
            return doubt.until <= now;
        });
        doubts = doubts_;
    }
    for (const Doubt& doubt : doubts) {
        std::vector<schema::Job> jobs = store_.take_up(
            {.owner = intake_.lock_owner(), .until = doubt.until, .now = clock_.now()}
        );
        if (jobs.empty()) {
            continue;
        }
        {
            const std::lock_guard lock(mutex_);
            std::erase_if(doubts_, [&](const Doubt& one) { return one.until == doubt.until; });
        }
        intake_.accept(std::move(jobs), doubt.locked_at);
    }
    const std::lock_guard lock(mutex_);
    return doubts_.empty() ? kUntilWoken : kLook;
}

}  // namespace jobstrand::executor
