#pragma once

#include "deadletter/dead_letter_policies.hpp"
#include "deadletter/dead_letters.hpp"
#include "deadletter/history_admin.hpp"
#include "executor/async_executor.hpp"
#include "executor/async_runs.hpp"
#include "executor/cleaning.hpp"
#include "executor/enqueue/bulk_enqueue.hpp"
#include "executor/enqueue/job_producer.hpp"
#include "executor/executor_settings.hpp"
#include "executor/job_handler.hpp"
#include "executor/loop/activity.hpp"
#include "executor/loop/clock_comparison.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/manual_run.hpp"
#include "executor/pool/shared_threads.hpp"
#include "executor/report/attempt_trace.hpp"
#include "executor/report/executor_figures.hpp"
#include "executor/report/run_records.hpp"
#include "executor/workers/external_work.hpp"
#include "executor/workers/worker_broker.hpp"
#include "persistence/batch_store.hpp"
#include "persistence/definition_store.hpp"
#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/engine_store.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/history_store.hpp"
#include "persistence/journal_store.hpp"
#include "persistence/limit_store.hpp"
#include "persistence/named_lock_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/run_store.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "persistence/store/sql_store.hpp"
#include "persistence/store/statement_trial.hpp"
#include "persistence/timer_store.hpp"
#include "persistence/watch_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/series.hpp"
#include "schema/uuid7.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/timer_mover.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::engine {

/// How the database is opened, and how jobs are run.
struct WiringOptions {
    std::string database_url = {};  ///< See persistence/drivers/database_url.hpp.
    executor::ExecutorSettings executor = {};

    /// Create or upgrade the tables when the engine opens; false: a schema that does not fit is an
    /// error.
    bool update_schema = true;

    /// Make the indexes that the settings need, when the engine opens and they are not there.
    bool create_indexes = false;

    /// Make the file of a database that is in a file, if it is not there.
    bool create_database = true;

    /// With which engines of this process it shares its threads; nullptr: none.
    std::shared_ptr<executor::SharedThreads> threads = {};

    /// Who watches the runs; empty: nobody does.
    executor::OnRun on_run = {};

    OnIncident on_incident = {};  ///< Empty: nobody listens.

    /// The app's own rule for failed attempts; empty: it has none.
    executor::RetryRule retry_rule = {};

    /// What new jobs get beside what the database says; see SqlStore::add_definitions.
    std::vector<schema::JobDefinition> definitions = {};

    /// What is done with dead letters without an operator, in the hours of the history cleaning.
    deadletter::DeadLetterPolicies policies = {};

    /// See persistence::OpenOptions::decorate.
    persistence::DecorateConnection decorate_connection = {};

    /// false: the clock that is passed in counts, whatever a server's own says. For tests that turn
    /// it.
    bool follows_database_clock = true;

    /// Who makes the ids of jobs; nullptr: the engine does. For engines that turn the same clock,
    /// at which moment they would make ids in no order.
    std::shared_ptr<schema::FreshIds> ids = nullptr;
};

/// Everything of one database wired together: what the service and the public Engine are built on.
///
/// Nothing runs until start() (R004). Handlers are added before it.
///
/// `clock` is this machine's; the engine compares it with the database's, and follows that one.
///
/// Thread safety: safe after start(). The clock and the log must outlive it.
class Wiring final {
public:
    /// Throws std::invalid_argument for a bad URL or settings, DbError when the database cannot be
    /// used.
    Wiring(WiringOptions options, const schema::Clock& clock, schema::Log& log);

    /// Stops (drain) when that has not been done.
    ~Wiring();

    /// Which database it is, with what lets it in.
    [[nodiscard]] const persistence::DatabaseUrl& database() const { return url_; }

    [[nodiscard]] executor::HandlerRegistry& handlers() { return handlers_; }

    /// See executor::AsyncExecutor.
    void serve_anew() { executor_.serve_anew(); }
    void limit_to(schema::ServedScope scope) { executor_.limit_to(std::move(scope)); }
    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> served() const {
        return executor_.served();
    }

    /// Throws DbError: schema_missing when the settings need an index that is not there,
    /// access_denied when the database's user may not write, other when the database refuses
    /// statements that nodes need.
    void start();

    /// Throws DbError access_denied, with the GRANT that is missing, when the database's user may
    /// not read and write what a node does.
    void require_rights();

    /// Tries what nodes ask of the database; see persistence::refused_activities().
    [[nodiscard]] std::vector<persistence::RefusedActivity> refused_activities();

    /// See executor::AsyncExecutor::stop.
    [[nodiscard]] bool stop(executor::StopMode mode) { return executor_.stop(mode); }

    /// Whether jobs are taken in: after start() and before stop().
    [[nodiscard]] bool is_running() const { return executor_.is_running(); }

    /// Looks for jobs and timers now, instead of at the next poll: for whoever knows that others
    /// have enqueued some. On PostgreSQL their commits tell.
    void wake() { wake_ups_.others_enqueued(); }

    /// See executor::JobProducer: returns the id(s), throws std::invalid_argument or DbError.
    std::string enqueue(schema::Job job);
    std::vector<std::string> enqueue_all(std::vector<schema::Job> jobs) {
        return producer_.enqueue(std::move(jobs));
    }
    std::vector<schema::Enqueued> enqueue_unique(std::vector<executor::UniqueJob> jobs) {
        return producer_.enqueue_unique(std::move(jobs));
    }
    std::vector<schema::Enqueued>
    enqueue_unique(persistence::Transaction& transaction, std::vector<executor::UniqueJob> jobs) {
        return producer_.enqueue_unique(transaction, std::move(jobs));
    }
    std::string enqueue(persistence::Transaction& transaction, schema::Job job);
    std::vector<std::string>
    enqueue_all(persistence::Transaction& transaction, std::vector<schema::Job> jobs) {
        return producer_.enqueue(transaction, std::move(jobs));
    }

    /// Starts a series: a job like `turn` runs whenever `series.repeat` says. Returns its key.
    ///
    ///     engine.start_series(
    ///         {.key = "nightly", .repeat = "0 0 2 * * ?", .zone = "Europe/Berlin"},
    ///         {.handler_type = "send-report"}
    ///     );
    ///
    /// Throws std::invalid_argument for texts that cannot be read, or DbError: duplicate_key when
    /// there is such a series.
    std::string start_series(schema::Series series, schema::Job turn) {
        return producer_.start_series(std::move(series), std::move(turn));
    }
    std::string
    start_series(persistence::Transaction& transaction, schema::Series series, schema::Job turn) {
        return producer_.start_series(transaction, std::move(series), std::move(turn));
    }

    /// Enqueues many jobs, series among them. Lives as long as the engine.
    [[nodiscard]] executor::BulkEnqueue enqueueing();

    /// See persistence::Transactions::in_transaction.
    void in_transaction(
        const std::function<void(persistence::Transaction&)>& work,
        const std::function<bool(persistence::Transaction&)>& was_committed = {}
    ) {
        store_.enqueuer().in_transaction(work, was_committed);
    }

    /// See executor::run_by_hand.
    [[nodiscard]] executor::ManualRunResult run_job(const std::string& id);

    /// Where external workers take jobs, whether this node runs jobs itself or not.
    [[nodiscard]] executor::WorkerBroker& workers() { return *workers_; }

    /// Where it is told how runs have ended, those of other nodes too.
    [[nodiscard]] executor::OutcomeReceiver& outcomes() { return outcomes_; }

    /// Calls `hear`, from any thread, when this node hears of free external jobs; an empty
    /// function: nobody wants to know. It must not block. When this returns, the one before is not
    /// called any more.
    void on_external_jobs(std::function<void()> hear);

    // For who takes the executor's place: tests.

    [[nodiscard]] const executor::ExecutorSettings& settings() const { return settings_; }

    /// The app's; empty: it has none.
    [[nodiscard]] const executor::RetryRule& retry_rule() const { return retry_rule_; }

    /// What a node does beside jobs, timers and locks: it cleans up, and looks after what people
    /// and workers have left behind.
    [[nodiscard]] std::vector<executor::Activity*> chores() { return chores_; }

    [[nodiscard]] executor::LastRuns& last_runs() { return executor_.last_runs(); }
    [[nodiscard]] persistence::ExecutorStore& executor_store() { return store_.executor(); }
    [[nodiscard]] persistence::TimerStore& timer_store() { return store_.timers(); }

    [[nodiscard]] persistence::OperatorStore& store() { return store_.jobs(); }
    [[nodiscard]] persistence::SeriesStore& series_store() { return store_.series(); }
    [[nodiscard]] persistence::DefinitionStore& definition_store() { return store_.definitions(); }
    [[nodiscard]] persistence::EngineStore& engine_store() { return store_.engine(); }
    [[nodiscard]] persistence::LimitStore& limit_store() { return store_.limits(); }
    [[nodiscard]] persistence::NamedLockStore& named_lock_store() { return store_.named_locks(); }
    [[nodiscard]] persistence::NodeStore& node_store() { return store_.nodes(); }
    [[nodiscard]] persistence::AuditStore& audit_store() { return store_.audit(); }
    [[nodiscard]] persistence::BatchStore& batch_store() { return store_.batches(); }
    [[nodiscard]] persistence::RequestStore& request_store() { return store_.requests(); }
    [[nodiscard]] persistence::HistoryStore& history_store() { return store_.history(); }
    [[nodiscard]] persistence::RunStore& run_store() { return store_.runs(); }
    [[nodiscard]] persistence::ServedStore& served_store() { return store_.served(); }
    [[nodiscard]] persistence::WatchStore& watch_store() { return store_.watch(); }
    [[nodiscard]] persistence::ThroughputStore& throughput_store() { return store_.throughput(); }
    [[nodiscard]] persistence::RunNewsStore& run_news_store() { return store_.run_news(); }

    /// What the database tells of itself. Throws DbError when it does not answer.
    [[nodiscard]] std::vector<persistence::ToldSymptom> symptoms();

    /// What the texts of series mean here.
    [[nodiscard]] const schema::SeriesSchedule& schedule() const { return schedule_; }

    /// All calendars, as the texts of timers are read with them.
    [[nodiscard]] schema::CalendarTexts calendar_texts();
    [[nodiscard]] deadletter::DeadLetters& dead_letters() { return dead_letters_; }

    /// The database's time (I6), with which due dates and locks are compared: ask this clock what
    /// time it is before you write about jobs.
    [[nodiscard]] const schema::Clock& clock() const { return clock_; }

    /// Asks the database for its time now; an executor that runs does so now and then. Nothing
    /// where the clock does not follow the database. Throws DbError.
    void follow_database_clock();

    /// See persistence::Driver::has_one_writer.
    [[nodiscard]] bool has_one_writer() const { return driver().has_one_writer; }

    /// Where the ids of its jobs come from.
    [[nodiscard]] const std::shared_ptr<schema::FreshIds>& ids() const { return store_.ids(); }

    /// How far the clock that was passed in is ahead of the database's; negative: behind.
    [[nodiscard]] schema::Duration clock_skew() const { return clock_.skew(); }

    /// Whose name stands in LOCK_OWNER_.
    [[nodiscard]] const std::string& lock_owner() const { return executor_.lock_owner(); }

    /// What this node does now, and what has become of its runs: for whoever watches it.
    [[nodiscard]] persistence::NodeLoad load() const { return executor_.load(); }
    [[nodiscard]] const executor::OutcomeCounts& outcome_counts() const {
        return executor_.outcome_counts();
    }
    [[nodiscard]] const schema::FailureClasses& failure_classes() const {
        return executor_.failure_classes();
    }
    [[nodiscard]] const executor::RunTimes& run_times() const { return executor_.run_times(); }
    [[nodiscard]] executor::ActivityCounts activity_counts() const {
        return executor_.activity_counts();
    }
    [[nodiscard]] executor::ActivityTimes activity_times() const {
        return executor_.activity_times();
    }
    [[nodiscard]] std::uint64_t timers_moved() const { return mover_ ? mover_->moved() : 0; }
    [[nodiscard]] const persistence::AccessCounts& access_counts() const {
        return store_.access_counts();
    }
    [[nodiscard]] schema::Duration lease_left() const { return executor_.lease_left(); }
    [[nodiscard]] std::string standstill() { return executor_.standstill(); }
    [[nodiscard]] executor::RefusedNow refused() const { return executor_.refused(); }

    /// What people change through this process: who writes the audit counts here.
    [[nodiscard]] deadletter::ActionCounts& action_counts() { return action_counts_; }

private:
    void require_statements();
    executor::PollingLoop& add_chore(executor::Activity& activity);
    void add_mover();
    void add_workers();
    void add_housekeeping(deadletter::DeadLetterPolicies of_dead_letters);
    [[nodiscard]] const persistence::Driver& driver() const { return persistence::driver_of(url_); }

    // The oldest dependency first.

    const persistence::DatabaseUrl url_;
    const executor::ExecutorSettings settings_;
    schema::Log& log_;
    std::unique_ptr<persistence::SessionPool> pool_;
    const timers::SeriesPlanner schedule_;
    schema::DatabaseClock clock_;
    persistence::SqlStore store_;
    executor::ClockComparison clock_comparison_;
    const schema::Duration clock_interval_;
    deadletter::DeadLetters dead_letters_;
    deadletter::ActionCounts action_counts_;
    deadletter::AuditTrail audit_;
    executor::HandlerRegistry handlers_;
    executor::WakeUps wake_ups_;
    const executor::RetryRule retry_rule_;
    std::mutex hearing_;
    std::function<void()> hear_of_external_jobs_;                ///< Guarded by hearing_.
    std::optional<executor::HistoryCleaning> cleaning_;          ///< As the mover.
    std::optional<executor::RunCleaning> run_cleaning_;          ///< Likewise.
    std::vector<std::unique_ptr<executor::Activity>> policies_;  ///< Likewise.
    std::vector<executor::Activity*> chores_;                    ///< All that add_chore() was told.
    std::optional<timers::TimerMover> mover_;  ///< Outlives the executor, whose loop runs it.
    const std::shared_ptr<executor::SharedThreads> all_threads_;
    const std::unique_ptr<executor::SharedThreads::Share> threads_;
    executor::ExternalDeadlines deadlines_;                             ///< As the mover.
    std::optional<executor::WorkerBroker> workers_;                     ///< Likewise.
    std::optional<executor::ExternalTimeLimits> external_time_limits_;  ///< Likewise.
    executor::AsyncExecutor executor_;
    executor::JobProducer producer_;
    executor::OutcomeReceiver outcomes_;
};

}  // namespace jobstrand::engine
