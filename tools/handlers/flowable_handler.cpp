#include "tools/handlers/flowable_handler.hpp"

#include "persistence/sql/db_error.hpp"
#include "tools/handlers/flowable_engines.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>

namespace jobstrand::cli {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using executor::AsyncRun;
using persistence::DbError;

/// Threads that ask the database: after errors, and for exclusive jobs.
constexpr std::size_t kThreads = 4;

/// Before a job that met a conflict is free again, and between two tries to take an instance.
constexpr auto kConflictWait = 200ms;

/// Beyond the time limit of a call, so that the lock of an instance outlasts it.
constexpr schema::Duration kMargin = 10s;

/// Of the BPMN engine, as its job handlers name them.
constexpr std::array<std::string_view, 16> kTypesOfProcesses{
    "activate-processdefinition",
    "async-after",
    "async-complete-call-actiivty",
    "async-continuation",
    "async-send-event",
    "async-trigger",
    "bpmn-history-cleanup",
    "event",
    "external-worker-complete",
    "parallel-multi-instance-complete",
    "parallel-multi-instance-no-waits-async-leave",
    "process-migration",
    "set-async-variables",
    "suspend-processdefinition",
    "timer-start-event",
    "trigger-timer"};

}  // namespace

/// What is shared by all runs. Its threads end with the handler, whatever is under way: after that
/// nobody asks the database.
class FlowableHandler::Calls final : public std::enable_shared_from_this<Calls> {
public:
    Calls(const Dependencies& use, const FlowableSettings& settings)
        : use_(use),
          limit_(settings.time_limit + kMargin),
          engines_(std::make_shared<EnginePool>(use.client.context(), use.log, settings)) {}

    using RunPtr = std::shared_ptr<AsyncRun>;

    /// On a worker's thread.
    void begin(const RunPtr& run) {
        use_.client.start();
        std::call_once(started_, [this] { threads_.emplace(kThreads); });
        if (is_exclusive(run->context().job) && !take_instance(run)) {
            after(kConflictWait, run, [this, run] { try_again(run); });
            return;
        }
        execute(run);
    }

    /// Waits for what the threads are about; what waits for them is dropped.
    void close() {
        if (threads_) {
            threads_->stop();
            threads_->join();
        }
    }

private:
    [[nodiscard]] static bool is_exclusive(const schema::Job& job) {
        return job.exclusive && !job.process_instance_id.empty();
    }

    /// Calls it on one of its threads, unless it is closed by then.
    void on_thread(std::function<void()> work) { asio::post(*threads_, std::move(work)); }

    void after(std::chrono::milliseconds wait, const RunPtr& run, std::function<void()> work) {
        const auto timer = std::make_shared<asio::steady_timer>(use_.client.context(), wait);
        timer->async_wait([weak = weak_from_this(), run, timer, work = std::move(work)](auto) {
            if (const auto self = weak.lock()) {
                self->on_thread(work);
            }
        });
    }

    void try_again(const RunPtr& run) {
        if (run->context().stop.stop_requested()) {
            run->end(executor::GivenBack{});
        } else {
            begin(run);
        }
    }

    [[nodiscard]] bool take_instance(const RunPtr& run) {
        const schema::Job& job = run->context().job;
        const schema::TimePoint now = use_.clock.now();
        // Defended catch: while the database is away nobody gets an instance.
        try {
            return use_.instances.take_instance(
                {.instance = job.process_instance_id,
                 .owner = job.lock_owner,
                 .now = now,
                 .until = now + limit_}
            );
        } catch (const DbError& error) {
            tell(job, error);
            return false;
        }
    }

    void execute(const RunPtr& run) {
        engines_->execute(
            run->context().job.id,
            run->context().stop,
            [self = shared_from_this(), run](const CallAnswer& answer) {
                const bool is_success = is_done(answer);
                if (is_success && !is_exclusive(run->context().job)) {
                    run->end(executor::EndedElsewhere{});
                } else {
                    self->on_thread([calls = self.get(), run, answer] {
                        calls->settle(run, answer);
                    });
                }
            }
        );
    }

    /// First the instance, so that the next job of it finds it free.
    void settle(const RunPtr& run, const CallAnswer& answer) {
        const schema::Job& job = run->context().job;
        // Defended catch: a look that fails is taken again, as long as the lock holds.
        try {
            if (is_exclusive(job)) {
                use_.instances.free_instance(job.process_instance_id, job.lock_owner);
            }
            if (is_done(answer) || !is_held(job)) {
                run->end(executor::EndedElsewhere{});
                return;
            }
        } catch (const DbError& error) {
            tell(job, error);
            after(kConflictWait, run, [this, run, answer] { settle(run, answer); });
            return;
        }
        if (answer.kind == CallAnswer::Kind::answered) {
            use_.log.write(
                schema::LogLevel::info,
                "a Flowable engine has not run a job: it is free again",
                {{"job", job.id}, {"status", answer.status}}
            );
        }
        after(kConflictWait, run, [run] { run->end(executor::GivenBack{}); });
    }

    [[nodiscard]] bool is_held(const schema::Job& job) {
        const persistence::Fence fence{.id = job.id, .revision = job.revision};
        return use_.jobs.not_held(job.lock_owner, std::span(&fence, 1)).empty();
    }

    void tell(const schema::Job& job, const DbError& error) {
        use_.log.write(
            schema::LogLevel::warn,
            "the database was asked about a Flowable job in vain: again",
            {{"job", job.id}, {"error", error.what()}}
        );
    }

    const Dependencies use_;
    const schema::Duration limit_;  ///< Of the lock of an instance.
    const std::shared_ptr<EnginePool> engines_;
    std::once_flag started_;
    std::optional<asio::thread_pool> threads_;  ///< None: no job has begun.
};

FlowableHandler::FlowableHandler(const Dependencies& dependencies, const FlowableSettings& settings)
    // Runs that are under way own it as well, but only the handler's last copy closes it.
    : calls_([calls = std::make_shared<Calls>(dependencies, settings)] {
          return std::shared_ptr<Calls>(calls.get(), [calls](Calls*) { calls->close(); });
      }()) {}

void FlowableHandler::operator()(const std::shared_ptr<AsyncRun>& run) const {
    calls_->begin(run);
}

std::vector<std::string> flowable_types(const FlowableSettings& settings) {
    std::vector<std::string> types(kTypesOfProcesses.begin(), kTypesOfProcesses.end());
    types.insert(types.end(), settings.handler_types.begin(), settings.handler_types.end());
    std::ranges::sort(types);
    const auto twice = std::ranges::unique(types);
    types.erase(twice.begin(), twice.end());
    return types;
}

executor::HandlerRegistry::Needs flowable_needs() {
    return {
        .of =
            [](const schema::Job& job) {
                return job.scope_type == schema::kOurScope ? std::string("a handler of its own")
                                                           : std::string();
            },
        .here = {}};
}

std::vector<std::string> obstacles_to_engines(const FlowableSettings& settings) {
    // Defended catch: what is wrong is told before the service starts.
    try {
        boost::asio::io_context io;
        schema::SilentLog log;
        (void)std::make_shared<EnginePool>(io, log, settings);
        return {};
    } catch (const std::runtime_error& error) {
        return {error.what()};
    }
}

}  // namespace jobstrand::cli
