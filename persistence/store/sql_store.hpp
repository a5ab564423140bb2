#pragma once

#include "persistence/batch_store.hpp"
#include "persistence/definition_store.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/history/history_book.hpp"
#include "persistence/history/sql_history_store.hpp"
#include "persistence/jobs/due_timers.hpp"
#include "persistence/journal_store.hpp"
#include "persistence/limit_store.hpp"
#include "persistence/limits/engine_instances.hpp"
#include "persistence/named_lock_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "persistence/watch_store.hpp"
#include "persistence/workers/sql_worker_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/series.hpp"

#include <memory>

namespace jobstrand::persistence {

/// The store on a SQL database: it holds the classes that do the work, one for each role, and what
/// they share. The members of a role stand beside their SQL.
///
/// Due dates that the database cannot hold are refused with std::invalid_argument; see
/// Dialect::latest_time.
///
/// Thread safety: safe. Everything passed in must outlive it.
class SqlStore final : public ClockSource {
public:
    SqlStore(
        SessionPool& pool,
        schema::Log& log,
        const schema::SeriesSchedule& schedule,
        RetryLimits limits = {},
        schema::ExclusiveOver exclusive_over = schema::ExclusiveOver::instance,
        schema::HistoryRules history = {},
        OnIncident on_incident = {},
        const schema::Clock& clock = schema::machine_clock(),
        std::shared_ptr<schema::FreshIds> ids = nullptr  ///< nullptr: ids of its own.
    );

    /// How its database answers.
    [[nodiscard]] const AccessCounts& access_counts() const { return runner_.counts(); }

    /// What new jobs get where the rows of the database say nothing about it. Before the first use.
    void add_definitions(std::vector<schema::JobDefinition> definitions);

    [[nodiscard]] std::optional<schema::TimePoint> database_now() override;

    [[nodiscard]] AuditStore& audit() { return audit_; }
    [[nodiscard]] BatchStore& batches() { return batches_; }
    [[nodiscard]] DefinitionStore& definitions() { return definition_store_; }
    [[nodiscard]] EngineStore& engine() { return engine_; }
    [[nodiscard]] EnqueuerStore& enqueuer() { return enqueuer_; }
    [[nodiscard]] ExecutorStore& executor() { return executor_; }
    [[nodiscard]] HistoryStore& history() { return history_store_; }
    [[nodiscard]] OperatorStore& jobs() { return jobs_; }
    [[nodiscard]] LimitStore& limits() { return limit_store_; }
    [[nodiscard]] NamedLockStore& named_locks() { return named_locks_; }
    [[nodiscard]] NodeStore& nodes() { return nodes_; }
    [[nodiscard]] RequestStore& requests() { return requests_; }
    [[nodiscard]] RunNewsStore& run_news() { return run_news_; }
    [[nodiscard]] RunStore& runs() { return runs_; }
    [[nodiscard]] SeriesStore& series() { return series_; }
    [[nodiscard]] ServedStore& served() { return served_; }
    [[nodiscard]] ThroughputStore& throughput() { return throughput_; }
    [[nodiscard]] TimerStore& timers() { return timers_; }
    [[nodiscard]] WatchStore& watch() { return watch_; }
    [[nodiscard]] WorkerStore& workers() { return workers_; }

    /// Where it has its ids from: for who enqueues with it.
    [[nodiscard]] const std::shared_ptr<schema::FreshIds>& ids() const { return ids_; }

    /// What this store has written of incidents.
    [[nodiscard]] const HistoryBook& history_book() const { return history_; }

private:
    TransactionRunner runner_;
    const std::shared_ptr<schema::FreshIds> ids_;
    LimitBook limits_;
    HistoryBook history_;
    DefinitionBook definitions_;
    GroupTurns turns_;
    const StoreContext context_;
    AuditStore audit_{context_};
    BatchStore batches_{context_};
    DefinitionStore definition_store_{context_};
    SqlEngineStore engine_{context_};
    EnqueuerStore enqueuer_{context_};
    SqlExecutorStore executor_{context_};
    SqlHistoryStore history_store_{runner_, history_};
    SqlOperatorStore jobs_{context_};
    LimitStore limit_store_{context_};
    NamedLockStore named_locks_{context_};
    SqlNodeStore nodes_{context_};
    RequestStore requests_{context_};
    SqlRunNewsStore run_news_{context_};
    SqlRunStore runs_{runner_, history_};
    SeriesStore series_{context_};
    SqlServedStore served_{context_};
    SqlThroughputStore throughput_{context_};
    SqlTimerStore timers_{context_};
    WatchStore watch_{context_};
    SqlWorkerStore workers_{context_};
};

}  // namespace jobstrand::persistence
