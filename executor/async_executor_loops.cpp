#include "executor/async_executor.hpp"
#include "executor/loop/polling_loop.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <span>
#include <utility>

namespace jobstrand::executor {

void AsyncExecutor::add_own_activities() {
    use_.wake_ups.sleepers.groups = [this] { passing_loop_.wake(); };
    use_.wake_ups.sleepers.completion = [this] { completion_loop_.wake(); };
    if (settings_.acquire_async_jobs) {
        acquirer_.search_first();
        use_.wake_ups.sleepers.acquisition = [&loop = add_activity(acquirer_)] { loop.wake(); };
    }
    if (settings_.reset_expired_jobs) {
        add_activity(reset_);
    }
    add_activity(leftovers_);
    release_.when_left([&loop = add_activity(release_)] { loop.wake(); });
    doubtful_.when_added([&loop = add_activity(doubtful_)] { loop.wake(); });
    use_.wake_ups.sleepers.limits = [&loop = add_activity(limits_)] { loop.wake(); };
    use_.wake_ups.sleepers.dead_nodes = [&loop = add_activity(dead_)] { loop.wake(); };
    use_.wake_ups.sleepers.unserved = [&loop = add_activity(unserved_)] { loop.wake(); };
    if (use_.runs != nullptr && settings_.history_retention.runs > 0) {
        run_writing_.emplace(*use_.runs, last_runs_, use_.clock, use_.log);
        last_runs_.when_added([&loop = add_activity(*run_writing_)] { loop.wake(); });
    }
    if (use_.news != nullptr) {
        news_loop_ = &threads_->add_loop(news_writing_.emplace(*use_.news, *news_, use_.clock));
        news_->when_told([this] { news_loop_->wake(); });
    }
    if (!use_.has_one_writer) {
        add_second_loops();
    }
}

// Claims of pages wait for each other, and other orders have a position of their own.
void AsyncExecutor::add_second_loops() {
    completion_beside_loop_ = &threads_->add_loop(completion_.beside());
    use_.wake_ups.sleepers.completion_beside = [this] { completion_beside_loop_->wake(); };
    if (settings_.acquire_async_jobs && !settings_.order.is_any() &&
        settings_.lock_granularity == schema::LockGranularity::row) {
        PollingLoop& loop = add_activity(acquirer_.add_beside());
        use_.wake_ups.sleepers.acquisition_beside = [&loop] { loop.wake(); };
    }
}

PollingLoop& AsyncExecutor::add_activity(Activity& activity) {
    PollingLoop& loop = threads_->add_loop(activity);
    intake_loops_.push_back(&loop);
    return loop;
}

void AsyncExecutor::listen(persistence::OpenListener open) {
    wakeup_ = std::make_unique<JobWakeup>(threads_->context(), std::move(open), use_.wake_ups);
    use_.wake_ups.sleepers.listener = [&loop = add_activity(*wakeup_)] { loop.wake(); };
}

namespace {

using namespace std::chrono_literals;

/// How long a handler may take to end after it was told to stop.
constexpr schema::Duration kStopGrace = 5s;

/// How long the last outcomes may take to be written when the database is away.
constexpr schema::Duration kLastWriteWait = 10s;

/// How often a stop that waits looks whether it has been hurried.
constexpr schema::Duration kStopTick = 20ms;

/// Abandoned handlers that a line names.
constexpr std::size_t kNamed = 50;

}  // namespace

bool AsyncExecutor::stop(StopMode mode) {
    if (mode == StopMode::at_once) {
        hurried_ = true;
    }
    if (stopping_.exchange(true)) {
        held_.request_stop_of_all();
        return false;
    }
    accepting_ = false;
    // First the pool, so that no queued job starts any more; what a pass still brings in is
    // rejected.
    release_.free(pool_.close());
    release_.free(order_.take_all());
    for (PollingLoop* loop : intake_loops_) {
        loop->stop();
    }
    if (wakeup_) {
        wakeup_->close();
    }
    if (started_) {
        tell("the end of this node", [this] { presence_.stop_serving(); });
    }
    const bool all_ended = wait_for_running_jobs();
    if (all_ended) {
        pool_.stop();
    }
    async_.close();
    completion_loop_.stop();
    if (completion_beside_loop_ != nullptr) {
        completion_beside_loop_->stop();
    }
    throughput_loop_.stop();
    if (news_loop_ != nullptr) {
        news_loop_->stop();
        tell("what runs told", [this] { (void)news_writing_->write(); });
    }
    completion_.write_the_rest(kLastWriteWait);
    write_throughput();
    if (run_writing_) {
        tell("the last runs", [this] { (void)run_writing_->write(); });
    }
    free_the_rest();
    passing_loop_.stop();
    pass_the_rest_on();
    renewal_loop_.stop();
    watch_loop_.stop();
    presence_loop_.stop();
    if (started_ && all_ended) {
        tell("the end of this node", [this] { presence_.leave(); });
    }
    threads_->stop();
    log_stop(all_ended);
    return all_ended;
}

bool AsyncExecutor::wait_for_running_jobs() {
    const schema::SteadyPoint give_up = std::chrono::steady_clock::now() + settings_.shutdown_wait;
    while (!hurried_ && std::chrono::steady_clock::now() < give_up) {
        if (have_runs_ended(kStopTick)) {
            return true;
        }
    }
    held_.request_stop_of_all();
    return have_runs_ended(kStopGrace);
}

// Waits for both kinds.
bool AsyncExecutor::have_runs_ended(schema::Duration limit) {
    return pool_.wait_until_done(limit) && async_.wait_until_done(limit);
}

// Never throws: locks expire.
void AsyncExecutor::free_the_rest() {
    try {
        while (release_.run_once() == schema::Duration{0}) {
        }
    } catch (const persistence::DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            "jobs could not be freed; they run when their locks expire",
            {{"error", error.what()}}
        );
    }
}

// Never throws: the locks of groups expire.
void AsyncExecutor::pass_the_rest_on() {
    try {
        while (order_.has_ended_groups()) {
            (void)passing_.run_once();
        }
    } catch (const persistence::DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            "instances could not be passed on; their exclusive jobs run when its locks expire",
            {{"error", error.what()}}
        );
    }
}

// Never throws, and does not wait for a database that is away: it is no more than figures.
void AsyncExecutor::write_throughput() {
    if (!started_ || use_.store.back_since() == schema::SteadyPoint::max()) {
        return;
    }
    try {
        throughput_.write_the_rest();
    } catch (const persistence::DbError& error) {
        use_.log.write(
            schema::LogLevel::debug,
            "what was run last could not be written down",
            {{"error", error.what()}}
        );
    }
}

// Never throws: who could not say so counts as living until its lease is over.
void AsyncExecutor::tell(std::string_view what, const std::function<void()>& news) {
    try {
        news();
    } catch (const persistence::DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            fmt::format("{} could not be told", what),
            {{"error", error.what()}}
        );
    }
}

void AsyncExecutor::log_stop(bool all_ended) {
    if (all_ended) {
        use_.log.write(schema::LogLevel::info, "executor stopped");
        return;
    }
    const std::vector<HeldJobPtr> abandoned = held_.running();
    std::vector<std::string> named;
    for (const HeldJobPtr& held : std::span(abandoned).first(std::min(abandoned.size(), kNamed))) {
        named.push_back(fmt::format("{} ({})", held->job.id, held->job.handler_type));
    }
    use_.log.write(
        schema::LogLevel::warn,
        "executor stopped while handlers still run; their jobs run again elsewhere",
        {{"abandoned", abandoned.size()}, {"jobs", fmt::format("{}", fmt::join(named, ", "))}}
    );
}

}  // namespace jobstrand::executor
