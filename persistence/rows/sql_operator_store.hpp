#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/rows/store_context.hpp"

namespace jobstrand::persistence {

/// Its members stand where their SQL is: what looks in queries/, what changes something in jobs/.
/// The context must outlive it.
class SqlOperatorStore final : public OperatorStore {
public:
    explicit SqlOperatorStore(const StoreContext& context) : context_(context) {}

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
    [[nodiscard]] std::vector<bool> restore(schema::JobPlace place, std::span<const JobCopy> copies)
        override;
    [[nodiscard]] std::vector<JobAnswer> remove_as_read(
        schema::JobPlace place,
        std::span<const schema::Job> jobs,
        schema::TimePoint now
    ) override;
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
    [[nodiscard]] std::optional<KeyOwner> key_owner(std::string_view key) override;
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

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
