#include "tools/testing/step_executor.hpp"

#include "executor/pool/held_jobs.hpp"
#include "schema/exclusive_group.hpp"
#include "timers/timer_mover.hpp"

#include <chrono>
#include <memory>
#include <span>
#include <utility>

namespace jobstrand::test_kit {

namespace {

/// A step takes no time, unless its handler turns the clock.
constexpr schema::Duration kLockTime = std::chrono::hours(24 * 365);

}  // namespace

StepExecutor::StepExecutor(const Dependencies& use, const schema::RetryPolicy& policy)
    : use_(use),
      lock_owner_("test-engine"),
      runner_(
          {.store = use.store, .handlers = use.handlers, .clock = use.clock, .log = use.log},
          {.retry = policy, .retry_rule = use.retry_rule},
          lock_owner_
      ) {}

schema::Duration StepExecutor::lock_time() const {
    return kLockTime;
}

void StepExecutor::move_due_timers() {
    timers::TimerMover mover({use_.timers, *this, use_.clock, nobody_sleeps_}, {});
    while (mover.run_once() == schema::Duration{0}) {
    }
}

std::optional<StepExecutor::Step> StepExecutor::run_next() {
    const persistence::LockClaim claim{
        .owner = lock_owner_, .until = use_.clock.now() + kLockTime, .now = use_.clock.now()};
    std::vector<schema::Job> jobs = use_.store.acquire(claim, *use_.served, 1);
    if (jobs.empty()) {
        return std::nullopt;
    }
    const auto held = std::make_shared<executor::HeldJob>(
        std::move(jobs.front()), use_.clock.steady_now() + kLockTime
    );
    // Without an outcome, a transactional handler has succeeded and written that itself.
    executor::JobRunner::Answer answer = runner_.run(held);
    auto* const outcome = std::get_if<persistence::Outcome>(&answer);
    if (outcome == nullptr) {
        end_group(held->job);
        return Step{.job = held->job, .transition = schema::completed(held->job)};
    }
    (void)use_.store.apply(lock_owner_, std::span(outcome, 1));
    end_group(held->job);
    return Step{.job = held->job, .transition = std::move(outcome->transition)};
}

void StepExecutor::end_group(const schema::Job& job) {
    const persistence::GroupEnd end{
        .group = std::string(schema::exclusive_group(job, schema::ExclusiveOver::instance)),
        .claimed = 1,
        .began = job.lock_expiration.value()};
    if (!end.group.empty()) {
        (void)use_.store.pass_on(
            {.owner = lock_owner_, .until = use_.clock.now() + kLockTime}, {}, 0, std::span(&end, 1)
        );
    }
}

}  // namespace jobstrand::test_kit
