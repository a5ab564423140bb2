#include "executor/async_executor.hpp"

#include "executor/loop/polling_loop.hpp"
#include "executor/node_presence.hpp"
#include "executor/pool/held_jobs.hpp"
#include "schema/ensure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <stdexcept>
#include <utility>

namespace jobstrand::executor {

namespace {

/// Lost starts of a job of which one is known to have begun.
constexpr int kFirstCounted = 2;

/// Exclusive jobs of an instance run one behind the other without a wait for commits until the
/// first of them began this long ago. A commit takes a few milliseconds, so longer jobs would gain
/// little; and a worker must not be kept for long from a job that should go first.
constexpr std::chrono::milliseconds kLongestChain{5};

JobRunner::Rules rules_of(const ExecutorSettings& settings, const RetryRule* retry_rule) {
    return {
        .retry = settings.retry,
        .time_limit = settings.job_time_limit,
        .lost_starts = settings.lost_starts,
        .lock_time = settings.lock_time,
        .retry_rule = retry_rule,
    };
}

WorkerPool::Size
size_of(const ExecutorSettings& settings, const LimitedRuns& limited, const GroupOrder& order) {
    return {
        .core = settings.core_pool_size,
        .max = settings.max_pool_size,
        .queue = settings.queue_size,
        .keep_alive = settings.keep_alive,
        .ahead = settings.acquire_ahead,
        .behind = [&] { return order.waiting(); },
        .order = {
            .order = settings.order,
            .alone_from = std::min(settings.lost_starts - 1, kFirstCounted),
            .goes_first = [&](const schema::Job& job) { return limited.meets_limit(job); }}};
}

persistence::Fetching fetching_of(const ExecutorSettings& settings) {
    return {.jobs = settings.acquire_async_jobs, .timers = settings.acquire_timers};
}

/// Of each type and second.
std::size_t runs_to_keep(const ExecutorSettings& settings, const persistence::RunStore* store) {
    const auto most = static_cast<std::int64_t>(LastRuns::kOfType);
    const std::int64_t runs = std::clamp<std::int64_t>(settings.history_retention.runs, 0, most);
    return store == nullptr ? 0 : static_cast<std::size_t>(runs);
}

ExecutorSettings checked(ExecutorSettings settings) {
    const std::vector<std::string> mistakes = validate(settings);
    if (!mistakes.empty()) {
        throw std::invalid_argument(fmt::format("{}", fmt::join(mistakes, "; ")));
    }
    if (settings.lock_owner.empty()) {
        settings.lock_owner = fresh_lock_owner();
    }
    return settings;
}

}  // namespace

AsyncExecutor::AsyncExecutor(Dependencies use, ExecutorSettings settings)
    : settings_(checked(std::move(settings))),
      use_(use),
      served_(use.handlers, settings_.scope, fetching_of(settings_)),
      view_(use.wake_ups),
      held_(settings_.queue_bytes, exclusive_over(settings_)),
      order_(use.clock, exclusive_over(settings_), settings_.lock_time),
      limited_(settings_.max_pool_size, use.store),
      last_runs_(runs_to_keep(settings_, use.runs)),
      news_(std::make_shared<RunNewsBook>(settings_.lock_owner)),
      release_(
          {use.store, held_, order_, use.wake_ups, use.clock, use.log},
          settings_.lock_owner,
          does_acquisition_decide()
      ),
      completion_(needs_of_completion(), settings_.lock_owner),
      throughput_(
          {completion_.throughput(), held_, use.throughput, use.clock},
          settings_.lock_owner
      ),
      async_(
          settings_.async_runs,
          [this](const HeldJobPtr& held, const HandlerResult& result) {
              on_async_end(held, result);
          }
      ),
      runner_(
          {use.store,
           use.handlers,
           use.clock,
           use.log,
           &lease_,
           &times_,
           &async_,
           &use_.on_run,
           use.news == nullptr ? nullptr : news_},
          rules_of(settings_, use.retry_rule),
          settings_.lock_owner
      ),
      renewal_({use.store, held_, use.clock, use.log}, settings_.lock_owner, settings_.lock_time),
      watch_({use.store, held_, use.log}, settings_.lock_owner),
      turns_of_reset_(use.nodes, use.clock, settings_.lock_owner),
      reset_(
          {use.store, use.clock, use.wake_ups, use.log, &view_, &turns_of_reset_},
          {.interval = settings_.reset_interval,
           .page = settings_.reset_page,
           .lock_time = settings_.lock_time}
      ),
      leftovers_(use.store, use.clock, kLeftoversInterval, &view_),
      doubtful_(use.store, *this, use.clock),
      acquirer_(use.store, *this, use.clock, use.wake_ups, settings_, &view_),
      turns_of_unserved_(use.nodes, use.clock, settings_.lock_owner),
      unserved_(
          use.served,
          use.clock,
          use.log,
          &view_,
          &turns_of_unserved_,
          [this] { return lease_.sees_others(use_.clock.steady_now()); }
      ),
      dead_(
          {use.nodes, use.store, use.clock, use.wake_ups, use.log},
          settings_.lock_owner,
          settings_.node_lease / 2
      ),
      presence_(
          needs_of_presence(),
          identity_of(settings_.lock_owner, settings_.lock_granularity),
          settings_.node_lease
      ),
      passing_({use.store, order_, *this, use.clock}, settings_),
      limits_({use.store, *this, use.clock, &view_}, settings_.node_lease / 3),
      threads_(std::make_unique<ExecutorThreads>(use.log)),
      pool_(
          size_of(settings_, limited_, order_),
          [this](const HeldJobPtr& held) { return run(held); },
          use.wake_ups
      ),
      completion_loop_(threads_->add_loop(completion_)),
      throughput_loop_(threads_->add_loop(throughput_)),
      renewal_loop_(threads_->add_loop(renewal_)),
      watch_loop_(threads_->add_loop(watch_)),
      passing_loop_(threads_->add_loop(passing_)),
      presence_loop_(threads_->add_loop(presence_)) {
    held_.when_gone([this](std::span<const schema::Job* const> jobs) { on_gone(jobs); });
    add_own_activities();
}

JobCompletion::Dependencies AsyncExecutor::needs_of_completion() {
    return {
        .store = use_.store,
        .held = held_,
        .wake_ups = use_.wake_ups,
        .clock = use_.clock,
        .log = use_.log,
        .when_refused = [this](std::set<std::string> types) { leave_out(std::move(types)); },
        .last_runs = &last_runs_,
    };
}

NodePresence::Dependencies AsyncExecutor::needs_of_presence() {
    return {
        .nodes = use_.nodes,
        .intake = *this,
        .lease = lease_,
        .dead = dead_,
        .wake_ups = use_.wake_ups,
        .clock = use_.clock,
        .log = use_.log,
        .load = [this] { return load(); },
        .work = [this] { return work(); },
        .asked = [this] { return asked_.latest(use_.clock.now()); },
        .check_locks = [this] { renewal_.renew_all(); },
        .view = &view_,
    };
}

AsyncExecutor::~AsyncExecutor() {
    if (!stopping_) {
        (void)stop(StopMode::drain);
    }
    news_->close();
}

void AsyncExecutor::start() {
    JOBSTRAND_ENSURE(!started_.exchange(true));
    served_.look_at_handlers();
    (void)presence_.run_once();
    limits_.refresh();
    accepting_ = true;
    threads_->start();
    use_.log.write(
        schema::LogLevel::info,
        "executor started",
        {{"lock_owner", settings_.lock_owner},
         {"threads", settings_.max_pool_size},
         {"handler_types", fmt::format("{}", fmt::join(served()->types, ","))}}
    );
}

void AsyncExecutor::serve_anew() {
    served_.look_at_handlers();
    what_is_served_changed();
}

void AsyncExecutor::limit_to(schema::ServedScope scope) {
    ExecutorSettings settings = settings_;
    settings.scope = scope;
    (void)checked(std::move(settings));
    served_.limit_to(std::move(scope));
    what_is_served_changed();
}

// Called by whoever writes outcomes.
void AsyncExecutor::leave_out(std::set<std::string> types) {
    if (served_.leave_out(std::move(types))) {
        what_is_served_changed();
    }
}

void AsyncExecutor::what_is_served_changed() {
    if (started_) {
        presence_loop_.wake();
        use_.wake_ups.room_became_free();
    }
}

bool AsyncExecutor::is_taking() const {
    return accepting_ && lease_.takes_jobs(use_.clock.steady_now());
}

persistence::PageLimit AsyncExecutor::room() {
    if (!is_taking()) {
        return 0;
    }
    {
        const std::lock_guard lock(timers_mutex_);
        release_.give_back(pool_.take_surplus(use_.clock.steady_now()));
    }
    return room_to_claim(settings_.acquire_page);
}

persistence::PageLimit AsyncExecutor::room_to_claim(std::size_t page) {
    const std::size_t bytes = held_.bytes_left();
    persistence::PageLimit room(bytes == 0 ? 0 : pool_.room_to_claim(page), bytes);
    room.limited = limited_.room();
    return room;
}

// What comes first must not stand behind what came another way.
bool AsyncExecutor::does_acquisition_decide() const {
    return settings_.order.is_any() && settings_.acquire_async_jobs;
}

std::optional<persistence::PageLimit> AsyncExecutor::room_for_timers(std::size_t page) {
    if (does_acquisition_decide()) {
        return std::nullopt;
    }
    if (!is_taking()) {
        return 0;
    }
    const std::lock_guard lock(timers_mutex_);
    const persistence::PageLimit room = room_to_claim(page);
    return persistence::PageLimit(
        std::min(room.jobs, page), std::min(room.bytes, settings_.acquire_page_bytes)
    );
}

persistence::PageLimit AsyncExecutor::room_for_handoffs() {
    return {does_acquisition_decide() || !is_taking() ? 0 : pool_.room(), held_.bytes_left()};
}

persistence::PageLimit AsyncExecutor::room_for_groups() {
    return {is_taking() ? pool_.room() : 0, held_.bytes_left()};
}

persistence::PageLimit AsyncExecutor::room_for_limited() {
    const bool may_take = is_taking() && held_.bytes_left() > 0;
    return {may_take ? std::min(pool_.room(), limited_.room()) : 0, held_.bytes_left()};
}

// Where it is told to stop before there is a place, it does not start.
JobRunner::Answer AsyncExecutor::run_in_place(const HeldJobPtr& held) {
    if (use_.threads == nullptr || !use_.threads->take(held->stop.get_token())) {
        return runner_.run(held);
    }
    JobRunner::Answer answer = runner_.run(held);
    use_.threads->give_back();
    return answer;
}

// Runs on a worker thread. Returns how many jobs have run: it, and those of its group in a chain.
std::size_t AsyncExecutor::run(const HeldJobPtr& held) {
    use_.store.wait_for_database(held->stop.get_token(), held->lock_until);
    HeldJobPtr job = held;
    std::size_t runs = 0;
    bool is_chain = false;
    while (job != nullptr) {
        ++runs;
        std::optional<persistence::Outcome> outcome = run_one(job);
        HeldJobPtr next = outcome ? next_in_chain(*held, job, *outcome) : nullptr;
        is_chain = is_chain || next != nullptr;
        if (outcome && is_chain) {
            completion_.add_in_order(std::move(*outcome));
        } else if (outcome) {
            completion_.add(std::move(*outcome));
        }
        job = std::move(next);
    }
    // The next job of this kind may end the process, and the end of this start would be lost.
    if (held->job.lost_starts > 0) {
        held_.wait_until_gone(held->job, settings_.lock_time);
    }
    return runs;
}

// Returns what is still to be written.
std::optional<persistence::Outcome> AsyncExecutor::run_one(const HeldJobPtr& held) {
    JobRunner::Answer answer = run_in_place(held);
    if (std::holds_alternative<JobRunner::Committed>(answer)) {
        on_committed(*held);
        held_.remove(held->job);
    } else if (auto* outcome = std::get_if<persistence::Outcome>(&answer)) {
        if (!held->is_written) {
            return std::move(*outcome);
        }
        completion_.forget(held);
    } else if (limited_.left_worker(held->job)) {
        use_.wake_ups.limited_ended();
    }
    return std::nullopt;
}

// Of the same group, while the chain is short. What writes its outcome itself might write it before
// those in front of it are written.
HeldJobPtr AsyncExecutor::next_in_chain(
    const HeldJob& first,
    const HeldJobPtr& former,
    const persistence::Outcome& outcome
) {
    if (former->group.empty() || former->job.lost_starts > 0 ||
        outcome.transition.reason != schema::TransitionReason::completed ||
        use_.clock.steady_now() - first.began.load() >= kLongestChain) {
        return nullptr;
    }
    return order_.next_in_chain(former, [this](const schema::Job& next) {
        return next.lost_starts == 0 && runner_.is_plain(next);
    });
}

// Runs on whatever thread has ended it.
void AsyncExecutor::on_async_end(const HeldJobPtr& held, const HandlerResult& result) {
    if (!std::holds_alternative<EndedElsewhere>(result)) {
        on_outcome(held, runner_.ended(held, result));
        return;
    }
    runner_.ended_elsewhere(*held);
    on_committed(*held);
    completion_.forget(held);
}

// Whoever has written its outcome has told of it, too.
void AsyncExecutor::on_committed(HeldJob& held) {
    const std::string& type = held.job.handler_type;
    const auto took = std::chrono::floor<schema::Duration>(
        use_.clock.steady_now() - held.began.load(std::memory_order_relaxed)
    );
    const schema::TimePoint now = use_.clock.now();
    completion_.run_counts().add(type);
    if (!held.is_begin_counted.exchange(true)) {
        completion_.throughput().begun(held.job, now - took, now);
    }
    completion_.throughput().ended(type, {.ran = took}, now);
    if (!held.is_written) {
        last_runs_.add(run_of(held.job, settings_.lock_owner, now, took));
    }
}

void AsyncExecutor::on_outcome(const HeldJobPtr& held, persistence::Outcome outcome) {
    if (held->is_written) {
        completion_.forget(held);
    } else {
        completion_.add(std::move(outcome));
    }
}

void AsyncExecutor::outcome_was_written(persistence::Outcome outcome) {
    const HeldJobPtr held = held_.written(outcome);
    outcome.ended = use_.clock.now();
    if (held != nullptr) {
        outcome.duration =
            std::chrono::floor<schema::Duration>(use_.clock.steady_now() - held->began.load());
        outcome.is_begin_counted = held->is_begin_counted.exchange(true);
    }
    if (started_) {
        completion_.add_written(std::move(outcome));
    }
}

void AsyncExecutor::accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) {
    limited_.add(jobs);
    auto held = held_.add(std::move(jobs), locked_at + settings_.lock_time);
    if (use_.clock.steady_now() - locked_at > settings_.lock_time / 3) {
        renewal_loop_.wake();  // Its next turn might come too late for them.
    }
    std::vector<HeldJobPtr> rejected = pool_.submit(order_.admit(std::move(held)));
    if (!rejected.empty()) {
        const std::lock_guard lock(timers_mutex_);
        release_.give_back(std::move(rejected));
    }
}

// The next of their groups. Those that find no place are freed at once, with all behind them.
void AsyncExecutor::start(std::vector<HeldJobPtr> jobs) {
    if (!jobs.empty()) {
        release_.free(pool_.submit(std::move(jobs)));
    }
}

// Runs on whatever thread has ended the jobs.
void AsyncExecutor::on_gone(std::span<const schema::Job* const> jobs) {
    start(order_.ended(jobs));
    if (order_.has_ended_groups()) {
        use_.wake_ups.groups_ended();
    }
    if (limited_.ended(jobs)) {
        use_.wake_ups.limited_ended();
    }
}

namespace {

using namespace std::chrono_literals;

/// A slow machine stands still for that long, too.
constexpr schema::Duration kLeastStandstill = 10s;

}  // namespace

persistence::NodeLoad AsyncExecutor::load() const {
    return {
        .workers = settings_.max_pool_size,
        .running = held_.running().size(),
        .held = held_.size(),
    };
}

ActivityCounts AsyncExecutor::activity_counts() const {
    return {
        .claims = acquirer_.claims(),
        .empty_claims = acquirer_.empty_claims(),
        .claimed = acquirer_.claimed(),
        .locks_reset = reset_.freed(),
        .dead_nodes = dead_.found(),
    };
}

ActivityTimes AsyncExecutor::activity_times() const {
    return {
        .claims = acquirer_.times(),
        .completions = completion_.report().times,
        .claimed = acquirer_.sizes(),
        .completed = completion_.report().sizes,
    };
}

schema::Duration AsyncExecutor::lease_left() const {
    return lease_.left(use_.clock.steady_now());
}

std::string AsyncExecutor::standstill() {
    if (!started_ || stopping_ || use_.store.back_since() == schema::SteadyPoint::max()) {
        return {};
    }
    const std::string_view stuck =
        threads_->stuck_for(std::max(2 * settings_.lock_time, kLeastStandstill));
    if (!stuck.empty()) {
        return fmt::format("{} has not come back from its last pass", stuck);
    }
    const std::size_t held = held_.size();
    const Standstill::View view{
        .held = held - std::min(held, completion_.refused().outcomes),
        .running = held_.running().size(),
        .moves = held_.moves()};
    const schema::Duration lasted = standstill_.seen(view, use_.clock.steady_now());
    return lasted < std::max(settings_.node_lease, kLeastStandstill)
               ? std::string()
               : fmt::format("{} jobs are held, and none of them runs", view.held);
}

persistence::NodeWork AsyncExecutor::work() {
    return {
        .runs = long_runs(held_.running(), settings_.node_lease / 3, use_.clock),
        .last_minute = completion_.run_counts().last_minute(use_.clock.steady_now()),
        .standstill = standstill(),
    };
}

}  // namespace jobstrand::executor
