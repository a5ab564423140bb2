#pragma once

#include "executor/async_runs.hpp"
#include "executor/job_handler.hpp"
#include "executor/node_presence.hpp"
#include "executor/pool/held_jobs.hpp"
#include "executor/report/attempt_trace.hpp"
#include "executor/report/executor_figures.hpp"
#include "executor/report/run_records.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/job_failure.hpp"
#include "schema/job_transition.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <jobstrand/retry_rule.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>

namespace jobstrand::executor {

/// What a handler that threw has told us. Called inside a catch block.
[[nodiscard]] HandlerResult result_of_exception();

/// Returns the result itself, or a failure if its payload does not fit into a row.
[[nodiscard]] HandlerResult storable(HandlerResult result);

/// What becomes of a job whose run has ended so. Texts are cut to what the columns hold.
[[nodiscard]] schema::Transition transition_after(
    const schema::Job& job,
    const HandlerResult& result,
    const schema::RetryPolicy& policy,
    schema::TimePoint now
);

/// The longest wait that a rule may ask for.
inline constexpr schema::Duration kLongestRuledWait = std::chrono::hours(24 * 366);

using jobstrand::RetryDecision;
using jobstrand::RetryRule;

/// The result with what the rule makes of it; other results than failures stay as they are. A rule
/// that throws says `as_usual`, and is logged.
[[nodiscard]] HandlerResult
with_rule(const RetryRule& rule, const schema::Job& job, HandlerResult result, schema::Log& log);

/// How long a job is left alone from a counted start of it, if that start is lost: processes that
/// are killed from outside die in swarms, one after the other. Ten times the lock time, but at
/// most a minute; four times as long after each further lost start, but at most an hour.
/// `lost_starts`: those before this start, 1 or more.
[[nodiscard]] schema::Duration suspect_wait(schema::Duration lock_time, int lost_starts);

/// Runs one job: finds its handler, calls it, and turns what it returned or threw into an outcome.
/// The only place that calls user code, and the only one that catches what it throws.
///
/// Thread safety: safe; called by all workers at once. Everything passed in must outlive it.
class JobRunner final {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        const HandlerRegistry& handlers;
        const schema::Clock& clock;
        schema::Log& log;
        const NodeLease* lease = nullptr;  ///< None: who runs jobs by hand has no lease.
        RunTimes* times = nullptr;         ///< Counts them where somebody watches.
        AsyncRuns* async = nullptr;        ///< None: runs of asynchronous handlers are waited for.
        const OnRun* on_run = nullptr;     ///< None, or an empty one: nobody watches.
        std::shared_ptr<RunNewsBook> news = {};  ///< None: nobody listens to them.
    };

    struct Rules {
        schema::RetryPolicy retry;
        schema::Duration time_limit{0};  ///< See ExecutorSettings::job_time_limit.
        int lost_starts = std::numeric_limits<int>::max();  ///< See ExecutorSettings.
        schema::Duration lock_time{0};                      ///< Likewise.
        const RetryRule* retry_rule = nullptr;  ///< None, or an empty one: the app has none.
    };

    JobRunner(Dependencies dependencies, Rules rules, std::string lock_owner);

    /// A transactional handler has written the outcome together with its own effects, or somebody
    /// else has written it.
    struct Committed {};
    /// Dependencies::async tells of the end.
    struct UnderWay {};
    /// Or the outcome that is still to be written.
    using Answer = std::variant<persistence::Outcome, Committed, UnderWay>;

    [[nodiscard]] Answer run(const HeldJobPtr& held) const;

    /// Whether its handler has ended when it returns, and leaves the outcome to be written.
    [[nodiscard]] bool is_plain(const schema::Job& job) const;

    /// The outcome to be written, of a run whose handler has ended so.
    [[nodiscard]] persistence::Outcome ended(const HeldJobPtr& held, const HandlerResult& result)
        const;

    /// Ends a run whose outcome another party has written.
    void ended_elsewhere(HeldJob& held) const;

private:
    /// Whether it may run here now: nothing ended its lock, nor told it to stop.
    [[nodiscard]] bool is_ours(const HeldJob& held, schema::SteadyPoint now) const;
    [[nodiscard]] std::optional<schema::Transition> without_run(
        const HeldJob& held,
        schema::SteadyPoint now,
        const HandlerRegistry::Match& match
    ) const;
    void count_wait(const schema::Job& job) const;
    [[nodiscard]] std::optional<schema::Transition> count_start(const schema::Job& job) const;
    [[nodiscard]] JobContext context_for(HeldJob& held) const;
    [[nodiscard]] Answer begin(const AsyncJobHandler& handler, const HeldJobPtr& held) const;
    std::chrono::steady_clock::duration tell_end(HeldJob& held) const;
    [[nodiscard]] std::optional<schema::RunNews> end_of_news(const HeldJob& held) const;
    [[nodiscard]] bool is_watched() const { return use_.on_run != nullptr && *use_.on_run; }
    void tell_watcher(
        const HeldJob& held,
        std::chrono::steady_clock::duration took,
        const schema::Transition& transition
    ) const;
    [[nodiscard]] std::optional<HandlerResult>
    call(const HandlerRegistry::Handler& handler, const HeldJobPtr& held) const;
    [[nodiscard]] std::optional<HandlerResult>
    call_in_transaction(const TransactionalJobHandler& handler, const HeldJobPtr& held) const;

    const Dependencies use_;
    const Rules rules_;
    mutable AttemptSpans spans_;
    mutable std::atomic<bool> is_loss_told_{false};  ///< No job has been in time since.
    const std::string lock_owner_;
};

}  // namespace jobstrand::executor
