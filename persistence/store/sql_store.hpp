#pragma once

#include "persistence/audit_store.hpp"
#include "persistence/batch_store.hpp"
#include "persistence/clock_source.hpp"
#include "persistence/definition_store.hpp"
#include "persistence/engine/sql_engine_store.hpp"
#include "persistence/enqueuer_store.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/history/history_book.hpp"
#include "persistence/history/sql_history_store.hpp"
#include "persistence/history/sql_run_store.hpp"
#include "persistence/limit_store.hpp"
#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/nodes/sql_run_news_store.hpp"
#include "persistence/nodes/sql_throughput_store.hpp"
#include "persistence/request_store.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series_store.hpp"
#include "persistence/served_store.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "persistence/timer_store.hpp"
#include "persistence/watch_store.hpp"
#include "persistence/workers/sql_worker_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/series/series_schedule.hpp"

#include <memory>

namespace jobstrand::persistence {

/// All roles of the store, on a SQL database. It only forwards: each operation has a file of its
/// own in jobs/ or series/, which begins with its SQL.
///
/// Due dates that the database cannot hold are refused with std::invalid_argument; see
/// Dialect::latest_time.
///
/// Thread safety: safe. Everything passed in must outlive it.
class SqlStore final : public ExecutorStore,
                       public TimerStore,
                       public ServedStore,
                       public ClockSource {
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

    void in_transaction(
        const std::function<void(Transaction&)>& work,
        const std::function<bool(Transaction&)>& was_committed
    ) override;

    /// What new jobs get where the rows of the database say nothing about it. Before the first use.
    void add_definitions(std::vector<schema::JobDefinition> definitions);

    [[nodiscard]] std::optional<schema::TimePoint> database_now() override;

    [[nodiscard]] bool has_acquirable(const ServedJobs& served, std::string_view after = {})
        override;
    [[nodiscard]] IdleView look_around(const ServedJobs& served, schema::TimePoint now) override;
    [[nodiscard]] std::vector<schema::Job> acquire(
        const LockClaim& claim,
        const ServedJobs& served,
        PageLimit limit,
        std::string_view after = {}
    ) override;
    [[nodiscard]] std::vector<schema::Job> acquire_in_order(
        const LockClaim& claim,
        const ServedJobs& served,
        const schema::AcquisitionOrder& order,
        PageLimit limit,
        const LanePositions& behind = {}
    ) override;
    [[nodiscard]] GroupsPassedOn pass_on(
        const LockClaim& claim,
        const ServedJobs& served,
        std::size_t most_bytes,
        std::span<const GroupEnd> groups
    ) override;
    [[nodiscard]] std::int64_t reset_expired_groups(schema::TimePoint now) override;
    bool refresh_limits() override;
    [[nodiscard]] bool meets_limit(const schema::Job& job) override;
    [[nodiscard]] LimitedJobs acquire_limited(
        const LockClaim& claim,
        const ServedJobs& served,
        PageLimit limit,
        std::string_view behind = {}
    ) override;
    [[nodiscard]] std::string forget_idle_groups(std::string_view behind, schema::TimePoint now)
        override;
    [[nodiscard]] AcquiredJob
    acquire_one(std::string_view id, const LockClaim& claim, schema::TimePoint now) override;

    [[nodiscard]] std::vector<OutcomeAnswer>
    apply(std::string_view owner, std::span<const Outcome> outcomes) override;
    [[nodiscard]] OutcomeAnswer
    apply(Transaction& transaction, std::string_view owner, const Outcome& outcome) override;

    [[nodiscard]] bool is_held(Transaction& transaction, std::string_view owner, const Fence& fence)
        override;
    [[nodiscard]] std::vector<std::string>
    not_held(std::string_view owner, std::span<const Fence> fences) override;
    [[nodiscard]] std::vector<std::string>
    extend_locks(const LockClaim& claim, std::span<const Fence> fences) override;
    void release(std::string_view owner, std::span<const Fence> fences) override;
    [[nodiscard]] bool
    count_start(std::string_view owner, const Fence& fence, schema::TimePoint next) override;
    [[nodiscard]] std::vector<schema::Job> take_up(const LockClaim& claim) override;
    void uncount_starts(std::span<const std::string> ids) override;
    void wait_for_database(const std::stop_token& stop, schema::SteadyPoint until) override;
    [[nodiscard]] std::optional<schema::SteadyPoint> back_since() override;
    [[nodiscard]] LockReset reset_expired_locks(schema::JobPlace place, const LockSearch& search)
        override;
    [[nodiscard]] ExpiredKeys remove_expired_keys(const KeySearch& search) override;

    [[nodiscard]] Lack lacking(const JobKind& kind, schema::TimePoint now) override;
    [[nodiscard]] std::vector<UnservedJobs> unserved(schema::TimePoint now, std::size_t rows)
        override;

    [[nodiscard]] std::optional<schema::TimePoint>
    next_due(const ServedJobs& served, std::optional<schema::TimePoint> from = {}) override;
    [[nodiscard]] std::optional<schema::TimePoint> next_due_of_others(
        const ServedJobs& served,
        std::optional<schema::TimePoint> from,
        schema::TimePoint until
    ) override;
    [[nodiscard]] DueTimers move_due_timers(
        DueWindow window,
        PageLimit limit,
        const std::optional<LockClaim>& claim,
        const ServedJobs& served
    ) override;

    // Roles in classes of their own.
    [[nodiscard]] AuditStore& audit() { return audit_; }
    [[nodiscard]] BatchStore& batches() { return batches_; }
    [[nodiscard]] DefinitionStore& definitions() { return definition_store_; }
    [[nodiscard]] EngineStore& engine() { return engine_; }
    [[nodiscard]] EnqueuerStore& enqueuer() { return enqueuer_; }
    [[nodiscard]] HistoryStore& history() { return history_store_; }
    [[nodiscard]] OperatorStore& jobs() { return jobs_; }
    [[nodiscard]] LimitStore& limits() { return limit_store_; }
    [[nodiscard]] NodeStore& nodes() { return nodes_; }
    [[nodiscard]] RequestStore& requests() { return requests_; }
    [[nodiscard]] ThroughputStore& throughput() { return throughput_; }
    [[nodiscard]] RunNewsStore& run_news() { return run_news_; }
    [[nodiscard]] RunStore& runs() { return runs_; }
    [[nodiscard]] SeriesStore& series() { return series_; }
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
    const StoreContext context_;
    AuditStore audit_{context_};
    BatchStore batches_{context_};
    DefinitionStore definition_store_{context_};
    SqlEngineStore engine_{context_};
    EnqueuerStore enqueuer_{context_};
    SqlHistoryStore history_store_{runner_, history_};
    SqlOperatorStore jobs_{context_};
    LimitStore limit_store_{context_};
    SqlNodeStore nodes_{context_};
    RequestStore requests_{context_};
    SqlThroughputStore throughput_{context_};
    SqlRunNewsStore run_news_{context_};
    SqlRunStore runs_{runner_, history_};
    SeriesStore series_{context_};
    WatchStore watch_{context_};
    SqlWorkerStore workers_{context_};
};

}  // namespace jobstrand::persistence
