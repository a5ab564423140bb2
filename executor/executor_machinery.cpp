#include "executor/executor_machinery.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/ensure.hpp"
#include "schema/uuid7.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;

/// How long a handler may take to end after it was told to stop.
constexpr schema::Duration kStopGrace = 5s;

/// How long the last outcomes may take to be written when the database is away.
constexpr schema::Duration kLastWriteWait = 10s;

/// How often a stop that waits looks whether it has been hurried.
constexpr schema::Duration kStopTick = 20ms;

ExecutorSettings checked(ExecutorSettings settings, const schema::Clock& clock) {
    const std::vector<std::string> mistakes = validate(settings);
    if (!mistakes.empty()) {
        throw std::invalid_argument(fmt::format("{}", fmt::join(mistakes, "; ")));
    }
    if (settings.lock_owner.empty()) {
        settings.lock_owner = schema::Uuid7Source().next(clock.now());
    }
    return settings;
}

std::vector<persistence::Fence> fences_of(const std::vector<HeldJobPtr>& jobs) {
    std::vector<persistence::Fence> fences;
    fences.reserve(jobs.size());
    for (const HeldJobPtr& held : jobs) {
        fences.push_back({.id = held->job.id, .revision = held->job.revision});
    }
    return fences;
}

}  // namespace

ExecutorMachinery::ExecutorMachinery(
    JobIntake& intake,
    AsyncExecutor::Dependencies use,
    ExecutorSettings settings
)
    : settings_(checked(std::move(settings), use.clock)),
      intake_(intake),
      use_(use),
      runner_(
          {use.store, use.handlers, use.clock, use.log},
          {.retry = settings_.retry, .time_limit = settings_.job_time_limit},
          settings_.lock_owner
      ),
      completion_(use.store, held_, use.log, settings_.lock_owner),
      renewal_({use.store, held_, use.clock, use.log}, settings_.lock_owner, settings_.lock_time),
      reset_(
          use.store,
          use.clock,
          use.log,
          {.interval = settings_.reset_interval,
           .page = settings_.reset_page,
           .lock_time = settings_.lock_time},
          [this] { wake_acquirer(); }
      ),
      threads_(use.log),
      pool_(
          {.core = settings_.core_pool_size,
           .max = settings_.max_pool_size,
           .queue = settings_.queue_size,
           .keep_alive = settings_.keep_alive},
          [this](const HeldJobPtr& held) { run(held); },
          [this] { wake_acquirer(); }
      ),
      completion_loop_(threads_.add_loop(completion_)),
      renewal_loop_(threads_.add_loop(renewal_)) {
    completion_.on_mail([this] { completion_loop_.wake(); });
}

PollingLoop& ExecutorMachinery::add_intake_loop(Activity& activity) {
    PollingLoop& loop = threads_.add_loop(activity);
    intake_loops_.push_back(&loop);
    return loop;
}

void ExecutorMachinery::listen(persistence::OpenListener open, std::function<void()> wake_up) {
    wakeup_.emplace(threads_.context(), std::move(open), std::move(wake_up));
    wakeup_->on_news([&loop = add_intake_loop(*wakeup_)] { loop.wake(); });
}

void ExecutorMachinery::start() {
    JOBSTRAND_ENSURE(!started_.exchange(true));
    if (settings_.acquire_async_jobs) {
        acquirer_.emplace(use_.store, intake_, use_.clock, use_.handlers.types(), settings_);
        acquirer_loop_ = &add_intake_loop(*acquirer_);
    }
    if (settings_.reset_expired_jobs) {
        add_intake_loop(reset_);
    }
    accepting_ = true;
    threads_.start();
    use_.log.write(
        schema::LogLevel::info,
        "executor started",
        {{"lock_owner", settings_.lock_owner},
         {"threads", fmt::to_string(settings_.max_pool_size)},
         {"handler_types", fmt::format("{}", fmt::join(use_.handlers.types(), ","))}}
    );
}

// Runs on a worker thread.
void ExecutorMachinery::run(const HeldJobPtr& held) {
    std::optional<persistence::Outcome> outcome = runner_.run(held);
    if (outcome) {
        completion_.add(std::move(*outcome));
    } else {
        held_.remove(held->job);
    }
}

void ExecutorMachinery::accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) {
    const std::vector<HeldJobPtr> rejected =
        pool_.submit(held_.add(std::move(jobs), locked_at + settings_.lock_time));
    if (!rejected.empty()) {
        release(rejected);
    }
}

// Never throws: what cannot be freed now is freed by anybody's reset when its lock expires (I5).
void ExecutorMachinery::release(const std::vector<HeldJobPtr>& jobs) {
    const std::vector<persistence::Fence> fences = fences_of(jobs);
    try {
        use_.store.release(settings_.lock_owner, fences);
    } catch (const persistence::DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            "jobs could not be freed; they run again when their locks expire",
            {{"jobs", fmt::to_string(jobs.size())}, {"error", error.what()}}
        );
    }
    for (const HeldJobPtr& held : jobs) {
        held_.remove(held->job);
    }
}

bool ExecutorMachinery::stop(StopMode mode) {
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
    release(pool_.close());
    for (PollingLoop* loop : intake_loops_) {
        loop->stop();
    }
    if (wakeup_) {
        wakeup_->close();
    }
    const bool all_ended = wait_for_running_jobs();
    if (all_ended) {
        pool_.stop();
    }
    write_last_outcomes();
    renewal_loop_.stop();
    threads_.stop();
    use_.log.write(
        all_ended ? schema::LogLevel::info : schema::LogLevel::warn,
        all_ended ? "executor stopped"
                  : "executor stopped while handlers still run; their jobs run again elsewhere",
        {{"running", fmt::to_string(pool_.load().running)}}
    );
    return all_ended;
}

bool ExecutorMachinery::wait_for_running_jobs() {
    const schema::SteadyPoint give_up = std::chrono::steady_clock::now() + settings_.shutdown_wait;
    while (!hurried_ && std::chrono::steady_clock::now() < give_up) {
        if (pool_.wait_until_done(kStopTick)) {
            return true;
        }
    }
    held_.request_stop_of_all();
    return pool_.wait_until_done(kStopGrace);
}

void ExecutorMachinery::write_last_outcomes() {
    const schema::SteadyPoint give_up = std::chrono::steady_clock::now() + kLastWriteWait;
    completion_loop_.stop();
    while (!completion_.is_empty()) {
        try {
            (void)completion_.run_once();
        } catch (const persistence::DbError& error) {
            if (std::chrono::steady_clock::now() >= give_up) {
                use_.log.write(
                    schema::LogLevel::error,
                    "outcomes of finished jobs could not be written; these jobs will run again",
                    {{"error", error.what()}}
                );
                return;
            }
            std::this_thread::sleep_for(kStopTick);
        }
    }
}

void ExecutorMachinery::wake_acquirer() {
    if (PollingLoop* loop = acquirer_loop_.load()) {
        loop->wake();
    }
}

bool ExecutorMachinery::knows(const std::string& handler_type) const {
    return use_.handlers.find(handler_type) != nullptr;
}

}  // namespace jobstrand::executor
