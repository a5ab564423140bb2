#include "executor/job_passing.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace jobstrand::executor {

schema::Duration GroupPassing::run_once() {
    const persistence::PageLimit room = use_.intake.room_for_groups();
    const bool is_full = room.jobs == 0 || room.bytes == 0;
    const std::size_t most = schema::limits::kJobsPerTransaction;
    const auto ended = use_.order.take_ended(is_full ? most : std::min(room.jobs, most));
    if (ended.empty()) {
        return kUntilWoken;
    }
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    const persistence::LockClaim claim = claim_for(use_.intake, use_.clock);
    const auto served =
        is_full ? std::make_shared<const persistence::ServedJobs>() : use_.intake.served();
    std::optional<persistence::GroupsPassedOn> passed;
    try {
        passed = run_claim(use_.intake, claim.until, locked_at, [&] {
            return use_.store.pass_on(claim, *served, page_bytes_, ended);
        });
    } catch (const persistence::DbError&) {
        use_.order.end_again(ended);
        throw;
    }
    if (!passed) {
        use_.order.end_again(ended);
        return schema::Duration{0};
    }
    use_.order.put_back(passed->busy);
    use_.order.end_again(passed->rest);
    if (!passed->jobs.empty()) {
        use_.intake.accept(std::move(passed->jobs), locked_at);
    }
    return use_.order.has_ended_groups() ? schema::Duration{0} : kUntilWoken;
}

void LimitedRuns::add(const std::vector<schema::Job>& jobs) {
    for (const schema::Job& job : jobs) {
        if (meets_limit(job)) {
            const std::lock_guard lock(mutex_);
            ids_.insert(job.id);
            are_any_ = true;
        }
    }
}

bool LimitedRuns::left_worker(const schema::Job& job) {
    if (!are_any_) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    auto id = ids_.extract(job.id);
    if (id.empty()) {
        return false;
    }
    without_worker_.insert(std::move(id));
    return true;
}

bool LimitedRuns::ended(std::span<const schema::Job* const> jobs) {
    if (!are_any_) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    bool was_any = false;
    for (const schema::Job* const job : jobs) {
        was_any = ids_.erase(job->id) + without_worker_.erase(job->id) > 0 || was_any;
    }
    are_any_ = !ids_.empty() || !without_worker_.empty();
    return was_any;
}

std::size_t LimitedRuns::room() const {
    if (!are_any_) {
        return workers_;
    }
    const std::lock_guard lock(mutex_);
    return workers_ - std::min(workers_, ids_.size());
}

namespace {

/// How often it looks for room that others have made.
constexpr schema::Duration kLimitLook = std::chrono::seconds(1);

/// How often it looks for what a fast rate lets start.
constexpr schema::Duration kRateLook = std::chrono::milliseconds(20);

}  // namespace

schema::Duration LimitPassing::run_once() {
    if (const schema::Duration wait = until_there_may_be_any(); wait > schema::Duration{0}) {
        return wait;
    }
    if (use_.clock.steady_now() >= refresh_at_) {
        refresh();
    }
    // Without limits nothing waits, but for what a limit has left behind that was just removed.
    const schema::Duration later = are_any_ ? kLimitLook : refresh_interval_;
    const persistence::PageLimit room = use_.intake.room_for_limited();
    if (room.jobs == 0) {
        return later;
    }
    const schema::SteadyPoint locked_at = use_.clock.steady_now();
    const persistence::LockClaim claim = claim_for(use_.intake, use_.clock);
    if (behind_.empty()) {
        until_next_ = later;
    }
    auto claimed = run_claim(use_.intake, claim.until, locked_at, [&] {
        return use_.store.acquire_limited(claim, *use_.intake.served(), room, behind_);
    });
    if (!claimed) {
        return schema::Duration{0};
    }
    persistence::LimitedJobs& taken = *claimed;
    behind_ = std::move(taken.end);
    until_next_ = std::min(until_next_, taken.until_next.value_or(later));
    const bool has_more = !taken.jobs.empty() || !behind_.empty();
    if (!taken.jobs.empty()) {
        use_.intake.accept(std::move(taken.jobs), locked_at);
    }
    return has_more ? schema::Duration{0} : std::max(until_next_, kRateLook);
}

// What it goes by is never older than if it had looked itself.
schema::Duration LimitPassing::until_there_may_be_any() const {
    if (are_any_ || !behind_.empty() || use_.view == nullptr) {
        return schema::Duration{0};
    }
    const auto age =
        use_.view->none_of(&persistence::IdleView::has_limits, use_.clock.steady_now());
    return age ? refresh_interval_ - *age : schema::Duration{0};
}

void LimitPassing::refresh() {
    are_any_ = use_.store.refresh_limits();
    refresh_at_ = use_.clock.steady_now() + refresh_interval_;
}

}  // namespace jobstrand::executor
