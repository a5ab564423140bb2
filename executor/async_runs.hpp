#pragma once

#include "executor/job_handler.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/outcome.hpp"
#include "schema/clock.hpp"
#include "schema/job_failure.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>
#include <utility>

namespace jobstrand::executor {

/// The runs of asynchronous handlers that are under way here. How many there may be has a bound
/// (I8): beyond it the workers wait, their queue fills, and no more jobs are taken in.
///
/// Thread safety: safe.
class AsyncRuns final {
public:
    /// Told of each run that ends, by whatever thread ends it, before it stops counting. It must
    /// not throw.
    using Ended = std::function<void(const HeldJobPtr&, HandlerResult)>;

    AsyncRuns(std::size_t most, Ended ended);

    /// Closes it: see close().
    ~AsyncRuns();

    AsyncRuns(const AsyncRuns&) = delete;
    AsyncRuns& operator=(const AsyncRuns&) = delete;

    /// Waits until fewer than `most` are under way, or `stop` is requested. Each thread that calls
    /// it may begin one run afterwards.
    void wait_for_place(std::stop_token stop);

    /// Calls the handler. The run may have ended when this returns.
    void begin(const AsyncJobHandler& handler, const HeldJobPtr& held, JobContext context);

    [[nodiscard]] std::size_t under_way() const;

    /// false: the time is over, and some still are.
    [[nodiscard]] bool wait_until_done(schema::Duration limit);

    /// Disables the callback, and waits for the calls that are running.
    void close();

private:
    /// Handlers may end runs when the executor is long gone.
    class Register;
    const std::size_t most_;
    const std::shared_ptr<Register> runs_;
};

/// What came of telling how a run has ended. Only `taken` changed something.
enum class ToldAnswer {
    taken,
    not_found,    ///< There is no such job: it is done, or was removed.
    not_running,  ///< It stands elsewhere, or nobody holds it.
    stale_token,  ///< The token is that of another run.
};

/// Where those who have been called by a run say later how it has ended, whichever node holds it.
/// Who knows the fencing token of a run may write its outcome in the holder's place: the token is
/// the revision, which no second run has, and the owner stands in the row. So the fence decides
/// between the two as it does between two nodes (I3). The holder's handler is told to stop: at once
/// if it is here, and elsewhere when its node finds the lock lost.
///
/// Thread safety: safe. Everything passed in must outlive it.
class OutcomeReceiver final {
public:
    struct Dependencies {
        persistence::OperatorStore& jobs;
        persistence::ExecutorStore& store;
        const schema::Clock& clock;
        /// Told what was written: see AsyncExecutor::outcome_was_written().
        std::function<void(persistence::Outcome)> tell;
    };

    OutcomeReceiver(Dependencies use, schema::RetryPolicy policy)
        : use_(std::move(use)), policy_(std::move(policy)) {}

    /// When this returns `taken`, the outcome is written. Throws DbError.
    [[nodiscard]] ToldAnswer
    tell(std::string_view id, std::int64_t fencing_token, const HandlerResult& result);

private:
    const Dependencies use_;
    const schema::RetryPolicy policy_;
};

}  // namespace jobstrand::executor
