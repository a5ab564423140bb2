#pragma once

#include "deadletter/history_admin.hpp"
#include "executor/async_executor.hpp"
#include "executor/cleaning.hpp"
#include "executor/enqueue/job_producer.hpp"
#include "executor/loop/clock_comparison.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/workers/external_work.hpp"
#include "executor/workers/worker_broker.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/clock.hpp"
#include "timers/series/series_planner.hpp"
#include "timers/timer_mover.hpp"
#include "tools/engine/wiring.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace jobstrand::engine {

/// The objects of one engine, oldest dependency first.
class Wiring::Parts {
public:
    Parts(WiringOptions options, const schema::Clock& machine_clock, schema::Log& the_log);

    void start();
    void require_rights();
    void require_statements();
    [[nodiscard]] std::vector<persistence::RefusedActivity> refused_activities();

    const persistence::DatabaseUrl url;
    const executor::ExecutorSettings settings;
    schema::Log& log;
    std::unique_ptr<persistence::SessionPool> pool;
    const timers::SeriesPlanner schedule;
    schema::DatabaseClock clock;
    persistence::SqlStore store;
    executor::ClockComparison clock_comparison;
    const schema::Duration clock_interval;
    deadletter::DeadLetters dead_letters;
    deadletter::ActionCounts action_counts;
    deadletter::AuditTrail audit;
    executor::HandlerRegistry handlers;
    executor::WakeUps wake_ups;
    const executor::RetryRule retry_rule;
    std::mutex hearing;
    std::function<void()> hear_of_external_jobs;                ///< Guarded by hearing.
    std::optional<executor::HistoryCleaning> cleaning;          ///< As the mover.
    std::optional<executor::RunCleaning> run_cleaning;          ///< Likewise.
    std::vector<std::unique_ptr<executor::Activity>> policies;  ///< Likewise.
    std::vector<executor::Activity*> chores;                    ///< All that add_chore() was told.
    std::optional<timers::TimerMover> mover;  ///< Outlives the executor, whose loop runs it.
    const std::shared_ptr<executor::SharedThreads> all_threads;
    const std::unique_ptr<executor::SharedThreads::Share> threads;
    executor::ExternalDeadlines deadlines;                             ///< As the mover.
    std::optional<executor::WorkerBroker> workers;                     ///< Likewise.
    std::optional<executor::ExternalTimeLimits> external_time_limits;  ///< Likewise.
    executor::AsyncExecutor executor;
    executor::JobProducer producer;
    executor::OutcomeReceiver outcomes;

private:
    executor::PollingLoop& add_chore(executor::Activity& activity);
    void add_mover();
    void add_workers();
    void add_housekeeping(deadletter::DeadLetterPolicies of_dead_letters);
};

}  // namespace jobstrand::engine
