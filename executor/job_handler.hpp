#pragma once

#include "schema/job.hpp"
#include "schema/job_failure.hpp"
#include "schema/time.hpp"

#include <jobstrand/handler.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::persistence {
class Transaction;
}

namespace jobstrand::executor {

struct HeldJob;
class RunNewsBook;

/// The job as apps see it. Borrows its texts.
[[nodiscard]] RunningJob running_job_of(const schema::Job& job);

/// What a handler gets. Borrowed: valid until the run ends. The public one has the job as apps see
/// it: our handlers need the row, and nothing is copied for them.
struct JobContext {
    const schema::Job& job;  ///< Payload, ids, and everything else in the row.

    int attempt = 1;  ///< 1 for the first run.

    /// When the run should be over, by the engine's clock: the handler may stop early; nothing
    /// stops it by force.
    std::optional<schema::TimePoint> deadline = {};

    /// Requested when the lock is lost (somebody else may run the job) or the executor stops at
    /// once. A handler that runs long asks it now and then and returns Interrupted.
    std::stop_token stop;

    /// Grows with every acquisition of this job: pass it to systems that can refuse an older one,
    /// so that a run that lost its lock without knowing cannot overwrite the newer run's effect.
    std::int64_t fencing_token = 0;

    /// The job's trace and a span of this attempt, to be passed on to services that the handler
    /// calls (W3C Trace Context). Empty: the job is in no trace.
    std::string trace_parent = {};

    /// How much of the work is done, from 0 to 1, and what is being done. Whoever looks at the job
    /// sees it within about a second; each call replaces what the last one said. From any thread.
    void progress(double part, std::string_view note = {}) const;

    /// Adds to what the run has put out, the end of which is seen there too. The caller ends the
    /// lines.
    void log(std::string_view text) const;

    /// Where both go; null: nowhere.
    std::shared_ptr<RunNewsBook> news = {};
    HeldJob* run = nullptr;
};

using jobstrand::Failed;
using jobstrand::Interrupted;
using jobstrand::Succeeded;

/// Nothing was begun, or nothing of it counts: the job is free again at once, and no retry is used.
struct GivenBack {};

/// Whom the handler has handed the job to has written what became of it, and its row is not ours
/// any more: nothing is written here.
struct EndedElsewhere {};

/// The public one has only the first three: an app gives nothing back.
using HandlerResult = std::variant<Succeeded, Failed, Interrupted, GivenBack, EndedElsewhere>;

/// What user code implements: runs one job. Called on worker threads, several at once.
/// A job may run more than once (at least once): make the effect repeatable, or use a transactional
/// handler.
using JobHandler = std::function<HandlerResult(const JobContext&)>;

/// Runs one job inside a database transaction of the job store. What it writes through the
/// transaction and the job's completion commit together, so these effects happen exactly once. It
/// must neither commit nor roll back. On SQLite it holds the only writing connection: keep it
/// short.
using TransactionalJobHandler =
    std::function<HandlerResult(const JobContext&, persistence::Transaction&)>;

/// A run of an asynchronous handler: under way until end() is called. It has a lock, which is
/// renewed, and holds no thread. The public one is abstract, because apps see nothing of the
/// inside.
///
/// Thread safety: safe.
class AsyncRun final {
public:
    using Tell = std::function<void(HandlerResult)>;

    AsyncRun(JobContext context, Tell tell)
        : context_(std::move(context)), tell_(std::move(tell)) {}

    /// A run that nobody has ended, and nobody can any more, has failed.
    ~AsyncRun() { end(Failed{.message = "the handler let go of the job without ending it"}); }

    AsyncRun(const AsyncRun&) = delete;
    AsyncRun& operator=(const AsyncRun&) = delete;

    /// Valid as long as this object. What is to happen when its stop signal comes, a
    /// std::stop_callback does.
    [[nodiscard]] const JobContext& context() const { return context_; }

    /// Ends the run. May be called from any thread; only the first call has an effect.
    void end(HandlerResult result) {
        if (!has_ended_.exchange(true)) {
            tell_(std::move(result));
        }
    }

private:
    const JobContext context_;
    const Tell tell_;
    std::atomic<bool> has_ended_{false};
};

/// Begins one job and returns; what it throws until then is how the run ends, unless it has ended.
using AsyncJobHandler = std::function<void(std::shared_ptr<AsyncRun>)>;

/// Which code runs which handler type. The types named here are the only ones that this node
/// acquires (I7). Who changes them while an executor runs tells it (AsyncExecutor::serve_anew).
///
/// Thread safety: safe.
class HandlerRegistry final {
public:
    using Handler = std::variant<JobHandler, TransactionalJobHandler, AsyncJobHandler>;

    /// What jobs of one handler type need beside their handler (I7): a `command` job, for instance,
    /// that the node has its command.
    struct Needs {
        /// What a job needs; empty: nothing that any node could lack.
        std::function<std::string(const schema::Job&)> of;
        std::vector<std::string> here;  ///< What this node has of it.
    };

    /// Throws std::invalid_argument for an empty or over-long type, or one that is taken.
    void add(std::string handler_type, JobHandler handler);
    void add(std::string handler_type, JobHandler handler, Needs needs);
    void add_transactional(std::string handler_type, TransactionalJobHandler handler);
    void add_async(std::string handler_type, AsyncJobHandler handler);
    void add_async(std::string handler_type, AsyncJobHandler handler, Needs needs);

    /// Another handler for a type that is there: what begins from now on runs with it. Throws
    /// std::invalid_argument when there is no such type.
    void replace(const std::string& handler_type, Handler handler, Needs needs);

    /// Its runs that are under way go on. false: there is no such type.
    bool remove(const std::string& handler_type);

    /// What this node has for one job.
    struct Match {
        std::shared_ptr<const Handler> handler;  ///< See find().
        std::string lack;                        ///< See lacks().
    };

    /// Both with one look.
    [[nodiscard]] Match match(const schema::Job& job) const;

    /// nullptr: this node does not know the type. The handler stays as long as the caller needs it.
    [[nodiscard]] std::shared_ptr<const Handler> find(const std::string& handler_type) const;

    /// Returns the handler types in alphabetical order.
    [[nodiscard]] std::vector<std::string> types() const;

    /// Returns, in the same order, the types whose runs do not end with the return of the handler:
    /// they end in a transaction of their own, or when somebody says so.
    [[nodiscard]] std::vector<std::string> types_that_end_elsewhere() const;

    /// What this node has of all that jobs need, in alphabetical order.
    [[nodiscard]] std::vector<std::string> needs() const;

    /// What a job needs beside its handler, as it is stored in Job::needs; empty: nothing.
    [[nodiscard]] std::string need_of(const schema::Job& job) const;

    /// Returns what the job needs and this node lacks; empty: the job can run here.
    [[nodiscard]] std::string lacks(const schema::Job& job) const;

private:
    struct Entry {
        Handler handler;
        Needs needs = {};  ///< Without a function: none.

        [[nodiscard]] std::string need_of(const schema::Job& job) const;
        [[nodiscard]] std::string lacks(const schema::Job& job) const;
    };

    void insert(std::string handler_type, Entry entry);
    [[nodiscard]] std::shared_ptr<const Entry> entry_of(const std::string& handler_type) const;

    mutable std::shared_mutex mutex_;
    std::map<std::string, std::shared_ptr<const Entry>> entries_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::executor
