#include "tools/testing/step_node.hpp"

#include "schema/uuid7.hpp"
#include "timers/timer_mover.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace jobstrand::test_kit {

namespace {

using namespace std::chrono_literals;
using executor::HeldJobPtr;
using schema::Duration;
using schema::TransitionReason;

/// An activity that comes back within it has not done all that there was to do.
constexpr Duration kGoesOn = 50ms;

executor::JobRunner::Rules
rules_of(const executor::ExecutorSettings& settings, const executor::RetryRule& retry_rule) {
    return {
        .retry = settings.retry,
        .time_limit = settings.job_time_limit,
        .lost_starts = settings.lost_starts,
        .lock_time = settings.lock_time,
        .retry_rule = &retry_rule,
    };
}

persistence::NodeIdentity identity_of(const engine::Wiring& wiring, const schema::Clock& clock) {
    return {
        .node = wiring.lock_owner(),
        .incarnation = schema::Uuid7Source().next(clock.now()),
        .locks = wiring.settings().lock_granularity,
    };
}

/// Counts a run for as long as it lasts.
class Counted final {
public:
    explicit Counted(std::size_t& runs) : runs_(runs) { ++runs_; }
    ~Counted() { --runs_; }

    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    std::size_t& runs_;
};

}  // namespace

StepNode::StepNode(
    engine::Wiring& wiring,
    const schema::Clock& clock,
    schema::Log& log,
    const executor::OnRun& on_run,
    DeferredCommits& commits
)
    : wiring_(wiring),
      settings_(wiring.settings()),
      store_(wiring.executor_store()),
      clock_(clock),
      commits_(commits),
      held_(settings_.queue_bytes, executor::exclusive_over(settings_)),
      order_(clock, executor::exclusive_over(settings_), settings_.lock_time),
      news_(std::make_shared<executor::RunNewsBook>(wiring.lock_owner())),
      completion_(
          {.store = store_,
           .held = held_,
           .wake_ups = wake_ups_,
           .clock = clock,
           .log = log,
           .last_runs = settings_.history_retention.runs > 0 ? &wiring.last_runs() : nullptr},
          wiring.lock_owner()
      ),
      runner_(
          {.store = store_,
           .handlers = wiring.handlers(),
           .clock = clock,
           .log = log,
           .lease = &lease_,
           .on_run = &on_run,
           .news = news_},
          rules_of(settings_, wiring.retry_rule()),
          wiring.lock_owner()
      ),
      renewal_({store_, held_, clock, log}, wiring.lock_owner(), settings_.lock_time),
      reset_(
          {store_, clock, wake_ups_, log},
          {.interval = settings_.reset_interval,
           .page = settings_.reset_page,
           .lock_time = settings_.lock_time}
      ),
      leftovers_(store_, clock),
      dead_(
          {wiring.node_store(), store_, clock, wake_ups_, log},
          wiring.lock_owner(),
          settings_.node_lease / 2
      ),
      presence_(
          {.nodes = wiring.node_store(),
           .intake = *this,
           .lease = lease_,
           .dead = dead_,
           .wake_ups = wake_ups_,
           .clock = clock,
           .log = log,
           .load = [this] { return persistence::NodeLoad{.running = runs_, .held = held_.size()}; },
           .work = [] { return persistence::NodeWork{}; },
           .check_locks = [this] { renewal_.renew_all(); }},
          identity_of(wiring, clock),
          settings_.node_lease
      ),
      passing_({store_, order_, *this, clock}, settings_),
      run_writing_(wiring.run_store(), wiring.last_runs(), clock, log),
      news_writing_(wiring.run_news_store(), *news_, clock),
      passes_{{&leftovers_}} {
    held_.when_gone([this](std::span<const schema::Job* const> jobs) { on_gone(jobs); });
    if (settings_.reset_expired_jobs) {
        passes_.push_back({&reset_});
    }
    for (executor::Activity* const chore : wiring.chores()) {
        passes_.push_back({chore});
    }
}

void StepNode::live_on() {
    renewal_.renew_all();
    next_presence_ = clock_.steady_now() + presence_.run_once();
    were_there_limits_ = store_.refresh_limits() || were_there_limits_;
}

void StepNode::live_on_alone() {
    lease_.hold_until(clock_.steady_now() + settings_.node_lease);
}

void StepNode::look_after() {
    (void)dead_.run_once();
    for (Pass& pass : passes_) {
        do_pass(pass);
    }
    (void)run_writing_.write();
    (void)news_writing_.write();
}

void StepNode::do_pass(Pass& pass) const {
    if (pass.next > clock_.steady_now()) {
        return;
    }
    Duration wait = pass.activity->run_once();
    while (wait <= kGoesOn) {
        wait = pass.activity->run_once();
    }
    pass.next =
        wait == executor::kUntilWoken ? schema::SteadyPoint::max() : clock_.steady_now() + wait;
}

schema::TimePoint StepNode::next_look() const {
    schema::SteadyPoint next = next_presence_;
    for (const Pass& pass : passes_) {
        next = pass.activity == &reset_ ? std::min(next, pass.next) : next;
    }
    const auto wait = std::chrono::ceil<Duration>(next - clock_.steady_now());
    return clock_.now() + std::max(wait, Duration{1});
}

std::optional<StepNode::Step> StepNode::run_next() {
    while (is_alive()) {
        if (queue_.empty() && take(page()) == 0) {
            break;
        }
        const HeldJobPtr held = std::move(queue_.front());
        queue_.pop_front();
        Step step = run(held);
        if (step.was_run) {
            return step;
        }
    }
    return std::nullopt;
}

// What it asks the engine for is answered from what is committed.
executor::JobRunner::Answer StepNode::call_handler(const HeldJobPtr& held) {
    const Counted counted(runs_);
    const DeferredCommits::Period in_the_open(commits_, false);
    return runner_.run(held);
}

StepNode::Step StepNode::run(const HeldJobPtr& held) {
    executor::JobRunner::Answer answer = call_handler(held);
    auto* const outcome = std::get_if<persistence::Outcome>(&answer);
    const std::shared_ptr<const schema::Job> job(held, &held->job);
    if (is_dead_) {
        return {.job = job, .transition = schema::released(*job), .is_lost = true};
    }
    if (outcome == nullptr) {
        held_.remove(held->job);
        (void)passing_.run_once();
        return {.job = job, .transition = schema::completed(*job)};
    }
    if (is_frozen_) {
        unwritten_.push_back(std::move(*outcome));
        return {.job = job, .transition = {}, .was_run = false};
    }
    return write(std::move(*outcome));
}

StepNode::Step StepNode::write(persistence::Outcome outcome) {
    Step step{
        .job = outcome.job,
        .transition = outcome.transition,
        .was_run = outcome.transition.reason != TransitionReason::released};
    const std::uint64_t lost = completion_.report().counts.lost();
    completion_.add(std::move(outcome));
    (void)completion_.run_once();
    step.is_lost = completion_.report().counts.lost() > lost;
    (void)passing_.run_once();
    return step;
}

std::size_t StepNode::take(std::size_t jobs) {
    const std::size_t before = held_.size();
    most_held_ = before + jobs;
    next_start_.reset();
    look_around();
    if (settings_.acquire_timers) {
        move_due_timers();
    }
    if (were_there_limits_) {
        take_limited();
    }
    if (settings_.acquire_async_jobs) {
        take_free();
    }
    if (were_there_limits_) {
        take_limited();  // What has just been made to wait.
    }
    most_held_ = 0;
    const std::size_t taken = held_.size() - before;
    if (taken > 0) {
        look_again();
    }
    return taken;
}

// One statement tells what three would: a turn of a series is mostly such looks.
void StepNode::look_around() {
    if (!seen_) {
        seen_ = store_.look_around(*wiring_.served(), clock_.now());
    }
    seen_->at = clock_.now();
    view_.saw(*seen_, clock_.steady_now());
}

std::optional<schema::TimePoint> StepNode::next_start() {
    look_around();
    std::optional<schema::TimePoint> next = next_start_;
    // What is due and was not moved cannot be: nobody moves timers, or somebody has locked it.
    if (seen_->next_due && *seen_->next_due > clock_.now()) {
        next = std::min(next.value_or(*seen_->next_due), *seen_->next_due);
    }
    return next;
}

// Whose turn it is among the tenants is only known within a page.
std::size_t StepNode::page() const {
    return settings_.order.tenants_in_turn ? settings_.acquire_page : 1;
}

std::size_t StepNode::left() const {
    return most_held_ - std::min(most_held_, held_.size());
}

// One that knows nothing of earlier looks looks at all.
void StepNode::move_due_timers() {
    timers::TimerMover mover(
        {wiring_.timer_store(), *this, clock_, wake_ups_, &view_},
        {.page = settings_.timer_page,
         .wait = settings_.timer_wait,
         .fire_ahead = settings_.fire_ahead}
    );
    while (left() > 0 && mover.run_once() == Duration{0}) {
        mover.look_again();
    }
    if (mover.moved() > 0) {
        look_again();
    }
}

// Where more than is due goes with a due timer, none is held back for want of room.
std::optional<persistence::PageLimit> StepNode::room_for_timers(std::size_t page) {
    const bool does_order_decide = settings_.order.is_any() && settings_.acquire_async_jobs;
    if (does_order_decide || settings_.fire_ahead > Duration{0}) {
        return std::nullopt;
    }
    return persistence::PageLimit(std::min(left(), page), settings_.acquire_page_bytes);
}

void StepNode::take_free() {
    const auto served = wiring_.served();
    if (left() == 0 || !(seen_ ? seen_->has_acquirable : store_.has_acquirable(*served))) {
        return;
    }
    const schema::SteadyPoint locked_at = clock_.steady_now();
    const persistence::LockClaim claim = claim_for(*this, clock_);
    const persistence::PageLimit limit(
        std::min(left(), settings_.acquire_page), settings_.acquire_page_bytes
    );
    accept(
        settings_.order.is_any() ? store_.acquire_in_order(claim, *served, settings_.order, limit)
                                 : store_.acquire(claim, *served, limit),
        locked_at
    );
}

void StepNode::take_limited() {
    std::string behind;
    do {
        if (left() == 0) {
            return;
        }
        const schema::SteadyPoint locked_at = clock_.steady_now();
        persistence::LimitedJobs taken = store_.acquire_limited(
            claim_for(*this, clock_), *wiring_.served(), left(), std::exchange(behind, {})
        );
        behind = std::move(taken.end);
        if (taken.until_next) {
            const schema::TimePoint next = clock_.now() + *taken.until_next;
            next_start_ = std::min(next_start_.value_or(next), next);
        }
        accept(std::move(taken.jobs), locked_at);
    } while (!behind.empty());
}

void StepNode::accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) {
    std::ranges::move(
        order_.admit(held_.add(std::move(jobs), locked_at + settings_.lock_time)),
        std::back_inserter(queue_)
    );
}

void StepNode::on_gone(std::span<const schema::Job* const> jobs) {
    std::ranges::move(order_.ended(jobs), std::back_inserter(queue_));
}

void StepNode::die() {
    is_dead_ = true;
    queue_.clear();
    unwritten_.clear();
}

// As a process that goes on where it stood: it finds out by its clock what it has lost.
std::vector<StepNode::Step> StepNode::thaw() {
    is_frozen_ = false;
    (void)renewal_.run_once();
    live_on();
    std::vector<Step> steps;
    for (persistence::Outcome& outcome : std::exchange(unwritten_, {})) {
        steps.push_back(write(std::move(outcome)));
    }
    return steps;
}

}  // namespace jobstrand::test_kit
