#pragma once

#include <jobstrand/time.hpp>
#include <jobstrand/transaction.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

namespace jobstrand {

/// The job that a handler runs. Borrowed: valid until the run ends.
struct RunningJob {
    std::string_view id;
    std::string_view handler_type;
    std::string_view payload;
    std::string_view correlation_id;
    std::string_view trace_parent;  ///< As it was enqueued with.
    std::string_view process_instance_id;
    std::string_view root_process_instance_id;
    std::string_view process_definition_id;
    std::string_view execution_id;
    std::string_view element_id;
    std::string_view element_name;
    std::string_view category;
    std::string_view tenant_id;
    std::string_view series;             ///< The key of the series that it is a turn of.
    std::string_view exception_message;  ///< Of the run before; empty in the first.
    std::optional<TimePoint> due_date;
    std::optional<TimePoint> create_time;
    std::int64_t priority = 0;
    int retries = 0;  ///< Attempts left, this one included.
};

/// What a run tells of itself while it is under way.
struct RunNews {
    std::optional<double> progress = {};  ///< How much of the work is done, from 0 to 1.
    std::string_view note = {};           ///< What is being done; goes with the progress.
    std::string_view output = {};         ///< Adds to what the run has put out.
};

/// What a handler gets. Borrowed: valid until the run ends.
struct JobContext {
    RunningJob job;

    int attempt = 1;  ///< 1 for the first run.

    /// When the run should be over: the handler may stop early; nothing stops it by force.
    std::optional<TimePoint> deadline;

    /// Requested when the lock is lost (somebody else may run the job) or the engine stops at once.
    /// A handler that runs long asks it now and then and returns Interrupted.
    std::stop_token stop;

    /// Grows with every acquisition of this job: pass it to systems that can refuse an older one,
    /// so that a run that lost its lock without knowing cannot overwrite the newer run's effect.
    std::int64_t fencing_token = 0;

    /// The job's trace and a span of this attempt, as W3C Trace Context writes it, to be passed on
    /// to services that the handler calls. Empty: the job is in no trace.
    std::string trace_parent = {};

    /// Where progress() and log() go; empty: nowhere.
    std::function<void(const RunNews&)> tell = {};

    /// How much of the work is done, from 0 to 1, and what is being done. Whoever looks at the job
    /// (`job show`, the page, HTTP) sees it within about a second; each call replaces what the last
    /// one said. From any thread, as often as you like: it is written down once a second.
    void progress(double part, std::string_view note = {}) const {
        if (tell) {
            tell({.progress = part, .note = note});
        }
    }

    /// Adds to what the run has put out, the last lines of which are seen there too. End the lines
    /// yourself. They stand among the details of the failure if the run fails.
    void log(std::string_view text) const {
        if (tell) {
            tell({.output = text});
        }
    }
};

/// The job is done; its row is deleted.
struct Succeeded {
    /// The payload of the next turn, if the job is a turn of a series that keeps its data; else it
    /// is dropped. nullopt: the next turn gets the same as this one.
    std::optional<std::string> payload = {};
};

/// The job failed. Throwing a std::exception means the same, with its what() as the message.
struct Failed {
    std::string message = {};
    std::string details = {};                  ///< Stack trace or output, for the dead letter.
    bool retryable = true;                     ///< false: no further attempt makes sense.
    std::optional<Duration> retry_after = {};  ///< Wins over the retry cycle.
};

/// The run ended before it was done and the job is not at fault (stop was requested, an outside
/// system told us to wait): it runs again after `wait`, and no retry is used.
struct Interrupted {
    Duration wait{std::chrono::seconds(1)};
};

using HandlerResult = std::variant<Succeeded, Failed, Interrupted>;

/// Runs one job. Called on worker threads, several at once. A job may run more than once: make the
/// effect repeatable, or use a transactional handler.
using Handler = std::function<HandlerResult(const JobContext&)>;

/// Runs one job inside a transaction of the job database. What it writes through the transaction
/// and the job's completion commit together, so these effects happen exactly once. On SQLite it
/// holds the only writing connection: keep it short.
using TransactionalHandler = std::function<HandlerResult(const JobContext&, Transaction&)>;

/// A run of an asynchronous handler: under way until somebody calls end(). Its lock is renewed, and
/// it holds no thread. A run that is dropped without an end has failed.
///
/// Thread safety: safe.
class AsyncRun {
public:
    AsyncRun() = default;
    virtual ~AsyncRun() = default;
    AsyncRun(const AsyncRun&) = delete;
    AsyncRun& operator=(const AsyncRun&) = delete;

    /// Valid as long as this object. What is to happen when the stop signal comes, a
    /// std::stop_callback does.
    [[nodiscard]] virtual const JobContext& context() const = 0;

    /// Ends the run. May be called from any thread, also before the handler returns; only the first
    /// call has an effect.
    virtual void end(HandlerResult result) = 0;
};

/// Begins one job and returns soon: it is called on worker threads, and the job goes on without
/// one. What it throws is how the run ends. Thousands may be under way at once: see
/// EngineOptions::async_runs. on_asio.hpp makes one of a coroutine.
using AsyncHandler = std::function<void(std::shared_ptr<AsyncRun>)>;

}  // namespace jobstrand
