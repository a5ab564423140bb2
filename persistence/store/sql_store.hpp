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
#include "persistence/operator_store.hpp"
#include "persistence/request_store.hpp"
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
                       public OperatorStore,
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

    [[nodiscard]] std::optional<KeyOwner> key_owner(std::string_view key) override;
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
    [[nodiscard]] JobAnswer fire_timer(std::string_view id, schema::TimePoint now) override;
    [[nodiscard]] JobAnswer reschedule_timer(
        std::string_view id,
        schema::TimePoint due_date,
        schema::TimePoint now
    ) override;

    [[nodiscard]] std::optional<schema::PlacedJob> find(std::string_view id) override;
    [[nodiscard]] std::vector<schema::Job> list(
        schema::JobPlace place,
        const JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) override;
    [[nodiscard]] std::vector<schema::Job>
    list_in_order(schema::JobPlace place, const JobFilter& filter, const SortedPart& part) override;
    [[nodiscard]] std::optional<schema::Job>
    mark_ahead(schema::JobPlace place, const SortedPart& part) override;
    [[nodiscard]] std::vector<std::string> list_ids(
        schema::JobPlace place,
        const JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) override;
    [[nodiscard]] std::int64_t count(schema::JobPlace place, const JobFilter& filter) override;
    [[nodiscard]] std::vector<TypeCount>
    count_types(schema::JobPlace place, const JobFilter& filter) override;
    [[nodiscard]] std::vector<schema::Job> newest_dead_letters(
        const JobFilter& filter,
        const std::optional<DeadLetterMark>& behind,
        std::size_t limit
    ) override;
    [[nodiscard]] std::vector<DeadLetterFailure> newest_failures(
        const JobFilter& filter,
        const std::optional<DeadLetterMark>& behind,
        std::size_t limit
    ) override;
    [[nodiscard]] std::vector<DeadLetterFailure>
    list_failures(const JobFilter& filter, std::string_view after, std::size_t limit) override;
    [[nodiscard]] std::vector<bool> restore(std::span<const DeadLetterCopy> copies) override;
    [[nodiscard]] std::string exception_details(const schema::Job& job) override;
    [[nodiscard]] std::vector<JobAnswer> change_all(
        schema::JobPlace place,
        std::span<const std::string> ids,
        const ManyChanges& changes,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<JobAnswer> remove(
        schema::JobPlace place,
        std::span<const std::string> ids,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<JobAnswer> cancel(
        schema::JobPlace place,
        std::span<const std::string> ids,
        std::string_view message,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<JobAnswer> requeue(
        std::span<const std::string> ids,
        int retries,
        const DueDates& due_dates,
        schema::TimePoint now
    ) override;

    [[nodiscard]] bool is_of_engine(SuspensionScope scope, std::string_view id) override;
    std::int64_t suspend(
        SuspensionScope scope,
        std::string_view id,
        schema::TimePoint now,
        const OnMoved& on_moved = {}
    ) override;
    std::int64_t activate(
        SuspensionScope scope,
        std::string_view id,
        schema::TimePoint now,
        const OnMoved& on_moved = {}
    ) override;
    [[nodiscard]] std::vector<Suspension> suspensions(SuspensionScope scope) override;
    [[nodiscard]] std::vector<OwnerCount> count_lock_owners(std::string_view up_to) override;
    [[nodiscard]] std::vector<Suspension> suspensions_of(const schema::Job& job) override;
    [[nodiscard]] std::vector<ScopeSummary>
    scopes(SuspensionScope scope, std::string_view after, std::size_t limit) override;
    [[nodiscard]] std::vector<ScopeSummary>
    suspended_scopes(SuspensionScope scope, std::string_view after, std::size_t limit) override;
    [[nodiscard]] std::optional<AwaitedGroup> awaited_group(const schema::Job& job) override;
    [[nodiscard]] std::optional<GroupHold> group_hold(const schema::Job& job) override;

    // Roles in classes of their own.
    [[nodiscard]] AuditStore& audit() { return audit_; }
    [[nodiscard]] BatchStore& batches() { return batches_; }
    [[nodiscard]] DefinitionStore& definitions() { return definition_store_; }
    [[nodiscard]] EngineStore& engine() { return engine_; }
    [[nodiscard]] EnqueuerStore& enqueuer() { return enqueuer_; }
    [[nodiscard]] HistoryStore& history() { return history_store_; }
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
