#pragma once

#include "persistence/job_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "schema/log.hpp"
#include "schema/series_schedule.hpp"

namespace jobstrand::persistence {

/// JobStore and SeriesStore on a SQL database. It only forwards: each operation has a file of its
/// own in jobs/ or series/, which begins with its SQL.
///
/// Due dates that the database cannot hold are refused with std::invalid_argument; see
/// Dialect::latest_time.
///
/// Thread safety: safe. Everything passed in must outlive it.
class SqlStore final : public JobStore, public SeriesStore {
public:
    SqlStore(
        SessionPool& pool,
        schema::Log& log,
        const schema::SeriesSchedule& schedule,
        RetryLimits limits = {}
    );

    void in_transaction(
        const std::function<void(Transaction&)>& work,
        const std::function<bool(Transaction&)>& was_committed
    ) override;

    [[nodiscard]] std::optional<schema::TimePoint> database_now() override;

    std::vector<schema::PlacedJob>
    insert(Transaction& transaction, std::vector<schema::PlacedJob> jobs, IdOrigin ids) override;
    std::vector<schema::PlacedJob> insert(std::vector<schema::PlacedJob> jobs, IdOrigin ids)
        override;

    [[nodiscard]] bool has_acquirable(std::span<const std::string> handler_types) override;
    [[nodiscard]] std::vector<schema::Job> acquire(
        const LockClaim& claim,
        std::span<const std::string> handler_types,
        std::size_t limit,
        std::string_view after
    ) override;
    [[nodiscard]] std::vector<schema::Job> acquire_by_priority(
        const LockClaim& claim,
        std::span<const std::string> handler_types,
        std::size_t limit,
        const PriorityPositions& behind
    ) override;
    [[nodiscard]] AcquiredOne
    acquire_one(std::string_view id, const LockClaim& claim, schema::TimePoint now) override;

    [[nodiscard]] std::vector<Answer>
    apply(std::string_view owner, std::span<const Outcome> outcomes) override;
    [[nodiscard]] Answer
    apply(Transaction& transaction, std::string_view owner, const Outcome& outcome) override;

    [[nodiscard]] bool is_held(Transaction& transaction, std::string_view owner, const Fence& fence)
        override;
    [[nodiscard]] std::vector<std::string>
    extend_locks(const LockClaim& claim, std::span<const Fence> fences) override;
    void release(std::string_view owner, std::span<const Fence> fences) override;
    [[nodiscard]] LockReset reset_expired_locks(schema::JobPlace place, const LockSearch& search)
        override;

    [[nodiscard]] std::optional<schema::TimePoint> next_due() override;
    [[nodiscard]] DueTimers move_due_timers(
        DueWindow window,
        std::size_t limit,
        const std::optional<LockClaim>& claim,
        std::span<const std::string> handler_types
    ) override;
    [[nodiscard]] Answer fire_timer(std::string_view id, schema::TimePoint now) override;
    [[nodiscard]] Answer reschedule_timer(
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
    [[nodiscard]] std::vector<std::string> list_ids(
        schema::JobPlace place,
        const JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) override;
    [[nodiscard]] std::int64_t count(schema::JobPlace place, const JobFilter& filter) override;
    [[nodiscard]] std::string exception_details(const schema::Job& job) override;
    [[nodiscard]] Answer change(
        schema::JobPlace place,
        std::string_view id,
        const JobChanges& changes,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<Answer> remove(
        schema::JobPlace place,
        std::span<const std::string> ids,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<Answer> requeue(
        std::span<const std::string> ids,
        int retries,
        std::optional<schema::TimePoint> due_date,
        schema::TimePoint now
    ) override;

    std::int64_t suspend(SuspensionScope scope, std::string_view id, schema::TimePoint now)
        override;
    std::int64_t activate(SuspensionScope scope, std::string_view id, schema::TimePoint now)
        override;
    [[nodiscard]] std::vector<Suspension> suspensions(SuspensionScope scope) override;
    [[nodiscard]] std::vector<InstanceSummary> instances(std::string_view after, std::size_t limit)
        override;

    std::vector<schema::PlacedJob>
    create(Transaction& transaction, std::vector<NewSeries> series, schema::TimePoint now) override;
    std::vector<schema::PlacedJob> create(std::vector<NewSeries> series, schema::TimePoint now)
        override;
    [[nodiscard]] std::vector<SeriesSummary>
    list_series(const SeriesFilter& filter, std::string_view after, std::size_t limit) override;
    [[nodiscard]] std::optional<SeriesSummary> find_series(std::string_view key) override;
    [[nodiscard]] Answer reschedule_series(const schema::Series& times, schema::TimePoint now)
        override;
    [[nodiscard]] std::optional<std::string>
    fire_series(std::string_view key, schema::TimePoint now) override;
    [[nodiscard]] Answer end_series(std::string_view key, schema::TimePoint now) override;
    [[nodiscard]] Answer remove_series(std::string_view key) override;

    std::size_t put_calendar(const StoredCalendar& calendar, schema::TimePoint now) override;
    [[nodiscard]] std::vector<StoredCalendar> calendars() override;
    [[nodiscard]] Answer remove_calendar(std::string_view name) override;

private:
    TransactionRunner runner_;
    FreshIds ids_;
    const StoreContext context_;
};

}  // namespace jobstrand::persistence
