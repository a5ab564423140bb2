#include "executor/async_executor.hpp"

#include "executor/executor_threads.hpp"
#include "executor/expired_lock_reset.hpp"
#include "executor/held_jobs.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/job_completion.hpp"
#include "executor/job_runner.hpp"
#include "executor/lock_renewal.hpp"
#include "persistence/db_error.hpp"
#include "schema/ensure.hpp"
#include "schema/uuid7.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
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

class AsyncExecutor::Machinery {
public:
    Machinery(AsyncExecutor& intake, Dependencies use, ExecutorSettings given)
        : settings(checked(std::move(given), use.clock)),
          intake_(intake),
          use_(use),
          runner_(
              {use.store, use.handlers, use.clock, use.log},
              {.retry = settings.retry, .time_limit = settings.job_time_limit},
              settings.lock_owner
          ),
          completion_(use.store, held_, use.log, settings.lock_owner),
          renewal_({use.store, held_, use.clock, use.log}, settings.lock_owner, settings.lock_time),
          reset_(
              use.store,
              use.clock,
              use.log,
              {.interval = settings.reset_interval, .page = settings.reset_page},
              [this] { wake_acquirer(); }
          ),
          threads_(use.log),
          pool_(
              {.core = settings.core_pool_size,
               .max = settings.max_pool_size,
               .queue = settings.queue_size,
               .keep_alive = settings.keep_alive},
              [this](const HeldJobPtr& held) { run(*held); },
              [this] { wake_acquirer(); }
          ),
          completion_loop_(threads_.add_loop(completion_)),
          renewal_loop_(threads_.add_loop(renewal_)) {
        completion_.on_mail([this] { completion_loop_.wake(); });
    }

    PollingLoop& add_intake_loop(Activity& activity) {
        PollingLoop& loop = threads_.add_loop(activity);
        intake_loops_.push_back(&loop);
        return loop;
    }

    void start();
    bool stop(StopMode mode);
    void accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at);

    void wake_acquirer() {
        if (PollingLoop* loop = acquirer_loop_.load()) {
            loop->wake();
        }
    }

    [[nodiscard]] bool was_stopped() const { return stopping_; }
    [[nodiscard]] bool is_accepting() const { return accepting_; }
    [[nodiscard]] bool knows(const std::string& type) const {
        return use_.handlers.find(type) != nullptr;
    }
    [[nodiscard]] const WorkerPool& pool() const { return pool_; }

    const ExecutorSettings settings;

private:
    void run(HeldJob& held);
    void release(const std::vector<HeldJobPtr>& jobs);
    bool wait_for_running_jobs();
    void write_last_outcomes();

    // Constant after construction, or thread-safe.
    AsyncExecutor& intake_;
    const Dependencies use_;
    HeldJobs held_;
    JobRunner runner_;
    JobCompletion completion_;
    LockRenewal renewal_;
    ExpiredLockReset reset_;
    std::optional<JobAcquirer> acquirer_;
    ExecutorThreads threads_;
    WorkerPool pool_;
    PollingLoop& completion_loop_;
    PollingLoop& renewal_loop_;
    std::vector<PollingLoop*> intake_loops_;  ///< Those that bring in jobs; stopped first.

    std::atomic<PollingLoop*> acquirer_loop_{nullptr};
    std::atomic<bool> accepting_{false};
    std::atomic<bool> started_{false};
    std::atomic<bool> stopping_{false};
    std::atomic<bool> hurried_{false};
};

void AsyncExecutor::Machinery::start() {
    JOBSTRAND_ENSURE(!started_.exchange(true));
    if (settings.acquire_async_jobs) {
        acquirer_.emplace(use_.store, intake_, use_.clock, use_.handlers.types(), settings);
        acquirer_loop_ = &add_intake_loop(*acquirer_);
    }
    if (settings.reset_expired_jobs) {
        add_intake_loop(reset_);
    }
    accepting_ = true;
    threads_.start();
    use_.log.write(
        schema::LogLevel::info,
        "executor started",
        {{"lock_owner", settings.lock_owner},
         {"threads", fmt::to_string(settings.max_pool_size)},
         {"handler_types", fmt::format("{}", fmt::join(use_.handlers.types(), ","))}}
    );
}

// Runs on a worker thread.
void AsyncExecutor::Machinery::run(HeldJob& held) {
    std::optional<persistence::Outcome> outcome = runner_.run(held);
    if (outcome) {
        completion_.add(std::move(*outcome));
    } else {
        held_.remove({.id = held.job.id, .revision = held.job.revision});
    }
}

void AsyncExecutor::Machinery::accept(
    std::vector<schema::Job> jobs,
    schema::SteadyPoint locked_at
) {
    const std::vector<HeldJobPtr> rejected =
        pool_.submit(held_.add(std::move(jobs), locked_at + settings.lock_time));
    if (!rejected.empty()) {
        release(rejected);
    }
}

// Never throws: what cannot be freed now is freed by anybody's reset when its lock expires (I5).
void AsyncExecutor::Machinery::release(const std::vector<HeldJobPtr>& jobs) {
    const std::vector<persistence::Fence> fences = fences_of(jobs);
    try {
        use_.store.release(settings.lock_owner, fences);
    } catch (const persistence::DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            "jobs could not be freed; they run again when their locks expire",
            {{"jobs", fmt::to_string(jobs.size())}, {"error", error.what()}}
        );
    }
    for (const persistence::Fence& fence : fences) {
        held_.remove(fence);
    }
}

bool AsyncExecutor::Machinery::stop(StopMode mode) {
    if (mode == StopMode::at_once) {
        hurried_ = true;
    }
    if (stopping_.exchange(true)) {
        held_.request_stop_of_all();
        return false;
    }
    accepting_ = false;
    for (PollingLoop* loop : intake_loops_) {
        loop->stop();
    }
    release(pool_.close());
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

bool AsyncExecutor::Machinery::wait_for_running_jobs() {
    const schema::SteadyPoint give_up = std::chrono::steady_clock::now() + settings.shutdown_wait;
    while (!hurried_ && std::chrono::steady_clock::now() < give_up) {
        if (pool_.wait_until_done(kStopTick)) {
            return true;
        }
    }
    held_.request_stop_of_all();
    return pool_.wait_until_done(kStopGrace);
}

void AsyncExecutor::Machinery::write_last_outcomes() {
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

AsyncExecutor::AsyncExecutor(Dependencies dependencies, ExecutorSettings settings)
    : machinery_(std::make_unique<Machinery>(*this, dependencies, std::move(settings))) {}

AsyncExecutor::~AsyncExecutor() {
    if (!machinery_->was_stopped()) {
        (void)stop(StopMode::drain);
    }
}

std::function<void()> AsyncExecutor::add_activity(Activity& activity) {
    PollingLoop& loop = machinery_->add_intake_loop(activity);
    return [&loop] { loop.wake(); };
}

void AsyncExecutor::start() {
    machinery_->start();
}

bool AsyncExecutor::stop(StopMode mode) {
    return machinery_->stop(mode);
}

void AsyncExecutor::wake() {
    machinery_->wake_acquirer();
}

bool AsyncExecutor::is_running() const {
    return machinery_->is_accepting();
}

bool AsyncExecutor::serves(const std::string& handler_type) const {
    return machinery_->is_accepting() && machinery_->knows(handler_type);
}

WorkerPool::Load AsyncExecutor::load() const {
    return machinery_->pool().load();
}

std::size_t AsyncExecutor::room() const {
    return machinery_->is_accepting() ? machinery_->pool().room() : 0;
}

const std::string& AsyncExecutor::lock_owner() const {
    return machinery_->settings.lock_owner;
}

schema::Duration AsyncExecutor::lock_time() const {
    return machinery_->settings.lock_time;
}

void AsyncExecutor::accept(std::vector<schema::Job> jobs, schema::SteadyPoint locked_at) {
    machinery_->accept(std::move(jobs), locked_at);
}

}  // namespace jobstrand::executor
