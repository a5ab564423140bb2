#include "test/simulation/simulated_node.hpp"

#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::test {

using executor::HeldJobPtr;

namespace {

using namespace std::chrono_literals;

/// After trouble with the database, and between two looks for jobs: the real ones draw theirs.
constexpr schema::Duration kAgain = 50ms;

/// Never because of lost starts: the simulation kills more than any real world.
constexpr int kAnyLostStarts = 1'000'000;

executor::ExecutorSettings executor_settings_of(const SimulatedNode::Settings& settings) {
    return {
        .core_pool_size = 1,
        .max_pool_size = 1,
        .acquire_page = settings.queue,
        .instances_together = settings.instances_together,
        .lock_time = settings.lock_time,
        .node_lease = settings.lease,
    };
}

}  // namespace

SimulatedNode::SimulatedNode(
    std::string name,
    Settings settings,
    MemoryStore& store,
    const executor::HandlerRegistry& handlers,
    const schema::Clock& clock
)
    : name_(std::move(name)),
      settings_(settings),
      executor_settings_(executor_settings_of(settings)),
      store_(store),
      clock_(clock),
      served_(std::make_shared<const persistence::ServedJobs>(handlers.types())),
      order_(clock, schema::ExclusiveOver::instance, settings.lock_time),
      runner_(
          {store, handlers, clock, log_, &lease_},
          {.retry = {.message_wait = 1s}, .lost_starts = kAnyLostStarts},
          name_
      ),
      completion_({store, held_, wake_ups_, clock, log_}, name_),
      renewal_({store, held_, clock, log_}, name_, settings.lock_time),
      watch_({store, held_, log_}, name_),
      reset_({store, clock, wake_ups_, log_}, {.interval = 1s, .lock_time = settings.lock_time}),
      acquirer_(store, *this, clock, wake_ups_, executor_settings_),
      dead_({store, store, clock, wake_ups_, log_}, name_, settings.lease / 2),
      presence_(
          {.nodes = store,
           .intake = *this,
           .lease = lease_,
           .dead = dead_,
           .wake_ups = wake_ups_,
           .clock = clock,
           .log = log_,
           .load = [] { return persistence::NodeLoad{}; },
           .work = [] { return persistence::NodeWork{}; },
           .check_locks = [this] { renewal_.renew_all(); }},
          {.node = name_, .incarnation = name_},
          settings.lease
      ),
      passing_({store, order_, *this, clock}, executor_settings_),
      loops_{
          {{&completion_},
           {&renewal_},
           {&watch_},
           {&reset_},
           {&acquirer_},
           {&presence_},
           {&dead_},
           {&passing_}}} {
    held_.when_gone([this](std::span<const schema::Job* const> jobs) { on_gone(jobs); });
    wake_ups_.sleepers.acquisition = [this] { wake(acquirer_); };
    wake_ups_.sleepers.completion = [this] { wake(completion_); };
    wake_ups_.sleepers.dead_nodes = [this] { wake(dead_); };
    wake_ups_.sleepers.groups = [this] { wake(passing_); };
}

void SimulatedNode::wake(executor::Activity& activity) {
    std::ranges::find(loops_, &activity, &Loop::activity)->next = schema::SteadyPoint::min();
}

schema::SteadyPoint SimulatedNode::next_pass() const {
    return std::ranges::min(loops_, {}, &Loop::next).next;
}

bool SimulatedNode::run_due_activity(std::size_t draw) {
    const schema::SteadyPoint now = clock_.steady_now();
    std::vector<Loop*> due;
    for (Loop& loop : loops_) {
        if (loop.next <= now) {
            due.push_back(&loop);
        }
    }
    if (!due.empty()) {
        pass(*due[draw % due.size()]);
    }
    return !due.empty();
}

// As PollingLoop does, but for the wait of the acquisition, which it draws itself.
void SimulatedNode::pass(Loop& loop) {
    const schema::SteadyPoint now = clock_.steady_now();
    loop.next = schema::SteadyPoint::max();  // A wake-up during the pass counts.
    schema::Duration wait = kAgain;
    try {
        wait = loop.activity->run_once();
        wait = loop.activity == &acquirer_ ? kAgain : wait;
    } catch (const persistence::DbError&) {
        wait = kAgain;
    }
    if (wait < 24h) {
        loop.next = std::min(loop.next, now + wait);
    }
}

void SimulatedNode::run_next() {
    HeldJobPtr held = std::move(queue_.front());
    queue_.pop_front();
    while (held != nullptr) {
        executor::JobRunner::Answer answer = runner_.run(held);
        if (is_dead_) {
            return;
        }
        auto& outcome = std::get<persistence::Outcome>(answer);
        held = next_in_chain(held, outcome);
        completion_.add_in_order(std::move(outcome));
    }
    wake_ups_.room_became_free();
}

// As AsyncExecutor does; all runs are short here.
HeldJobPtr
SimulatedNode::next_in_chain(const HeldJobPtr& former, const persistence::Outcome& outcome) {
    const bool goes_on = outcome.transition.reason == schema::TransitionReason::completed &&
                         former->job.lost_starts == 0;
    const auto is_suited = [](const schema::Job& next) { return next.lost_starts == 0; };
    return goes_on ? order_.next_in_chain(former, is_suited) : nullptr;
}

persistence::PageLimit SimulatedNode::room() {
    const bool takes_jobs = lease_.takes_jobs(clock_.steady_now());
    return takes_jobs ? settings_.queue - std::min(settings_.queue, queue_.size()) : 0;
}

std::vector<HeldJobPtr> SimulatedNode::submit(std::vector<HeldJobPtr> jobs) {
    const std::size_t room = settings_.queue - std::min(settings_.queue, queue_.size());
    const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(std::min(room, jobs.size()));
    queue_.insert(queue_.end(), jobs.begin(), end);
    jobs.erase(jobs.begin(), end);
    return jobs;
}

void SimulatedNode::accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) {
    release(submit(order_.admit(held_.add(std::move(jobs), locked_at + settings_.lock_time))));
}

void SimulatedNode::on_gone(std::span<const schema::Job* const> jobs) {
    release(submit(order_.ended(jobs)));
    if (order_.has_ended_groups()) {
        wake_ups_.groups_ended();
    }
}

void SimulatedNode::release(std::vector<HeldJobPtr> jobs) {
    std::ranges::move(order_.take_behind(jobs), std::back_inserter(jobs));
    if (jobs.empty()) {
        return;
    }
    try {
        store_.release(name_, fences_of(jobs));
    } catch (const persistence::DbError&) {
        // They run again when their locks expire.
    }
    for (const HeldJobPtr& held : jobs) {
        held_.remove(held->job);
    }
}

}  // namespace jobstrand::test
