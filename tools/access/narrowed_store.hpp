#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/run_store.hpp"
#include "schema/paging.hpp"
#include "tools/access/access_rights.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// The JSON text with `"***"` as the value of each member of one of these names, at any depth,
/// whatever the case of their ASCII letters; all else stays as it was written. A text that is no
/// JSON has no members. The name `*` stands for the whole text, JSON or not.
[[nodiscard]] std::string
without_values_of(std::span<const std::string> names, std::string_view json);

/// Whether something on the path of a payload has one of these names.
[[nodiscard]] bool
is_hidden_path(std::span<const std::string> names, std::span<const std::string> path);

/// The last runs that succeeded, as the scope of a token leaves them: what it leaves out is not
/// there.
///
/// Thread safety: safe. The store must outlive it, and the scope.
class SeenRuns final {
public:
    SeenRuns(persistence::RunStore& store, const Scope& scope) : store_(store), scope_(scope) {}

    /// The latest first, behind a run's id; empty: from the latest one on.
    [[nodiscard]] schema::Page<FinishedRun>
    list(const FinishedRunQuery& filter, std::string behind, std::size_t limit);

    [[nodiscard]] std::optional<FinishedRun> last_of(const std::string& job);

private:
    [[nodiscard]] bool is_seen(const FinishedRun& run) const;

    persistence::RunStore& store_;
    const Scope& scope_;
};

/// The store as the scope of a token leaves it: jobs that it leaves out are not there, whatever is
/// asked or done. What is about more than jobs, such as to suspend a definition, throws OutOfScope.
/// Members of payloads that it hides read as `***`. With a scope that restricts nothing it is the
/// store itself.
///
/// Thread safety: safe. Both must outlive it.
class NarrowedStore final : public persistence::OperatorStore {
public:
    NarrowedStore(persistence::OperatorStore& store, const Scope& scope)
        : store_(store), scope_(scope) {}

    /// Which of these jobs are in the place, and not left out.
    [[nodiscard]] std::set<std::string, std::less<>>
    seen(schema::JobPlace place, std::span<const std::string> ids);

    [[nodiscard]] std::optional<schema::PlacedJob> find(std::string_view id) override;
    [[nodiscard]] std::vector<schema::Job> list(
        schema::JobPlace place,
        const persistence::JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) override;
    [[nodiscard]] std::vector<schema::Job> list_in_order(
        schema::JobPlace place,
        const persistence::JobFilter& filter,
        const persistence::SortedPart& part
    ) override;
    [[nodiscard]] std::optional<schema::Job>
    mark_ahead(schema::JobPlace place, const persistence::SortedPart& part) override;
    [[nodiscard]] std::vector<std::string> list_ids(
        schema::JobPlace place,
        const persistence::JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) override;
    [[nodiscard]] std::int64_t count(schema::JobPlace place, const persistence::JobFilter& filter)
        override;
    [[nodiscard]] std::vector<persistence::TypeCount>
    count_types(schema::JobPlace place, const persistence::JobFilter& filter) override;
    [[nodiscard]] std::vector<persistence::OwnerCount> count_lock_owners(std::string_view up_to
    ) override;
    [[nodiscard]] std::vector<schema::Job> newest_dead_letters(
        const persistence::JobFilter& filter,
        const std::optional<persistence::DeadLetterMark>& behind,
        std::size_t limit
    ) override;
    [[nodiscard]] std::vector<persistence::DeadLetterFailure> newest_failures(
        const persistence::JobFilter& filter,
        const std::optional<persistence::DeadLetterMark>& behind,
        std::size_t limit
    ) override;
    [[nodiscard]] std::vector<persistence::DeadLetterFailure> list_failures(
        const persistence::JobFilter& filter,
        std::string_view after,
        std::size_t limit
    ) override;
    [[nodiscard]] std::string exception_details(const schema::Job& job) override;
    [[nodiscard]] std::vector<persistence::JobAnswer> change_all(
        schema::JobPlace place,
        std::span<const std::string> ids,
        const persistence::ManyChanges& changes,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<persistence::JobAnswer> remove(
        schema::JobPlace place,
        std::span<const std::string> ids,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<persistence::JobAnswer> cancel(
        schema::JobPlace place,
        std::span<const std::string> ids,
        std::string_view message,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<persistence::JobAnswer> requeue(
        std::span<const std::string> ids,
        int retries,
        const persistence::DueDates& due_dates,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::vector<bool>
    restore(schema::JobPlace place, std::span<const persistence::JobCopy> copies) override;
    [[nodiscard]] std::vector<persistence::JobAnswer> remove_as_read(
        schema::JobPlace place,
        std::span<const schema::Job> jobs,
        schema::TimePoint now
    ) override;
    [[nodiscard]] std::optional<persistence::KeyOwner> key_owner(std::string_view key) override;
    [[nodiscard]] persistence::JobAnswer fire_timer(std::string_view id, schema::TimePoint now)
        override;
    [[nodiscard]] persistence::JobAnswer reschedule_timer(
        std::string_view id,
        schema::TimePoint due_date,
        schema::TimePoint now
    ) override;

    std::int64_t suspend(
        persistence::SuspensionScope scope,
        std::string_view id,
        schema::TimePoint now,
        const persistence::OnMoved& on_moved
    ) override;
    std::int64_t activate(
        persistence::SuspensionScope scope,
        std::string_view id,
        schema::TimePoint now,
        const persistence::OnMoved& on_moved
    ) override;
    [[nodiscard]] bool is_of_engine(persistence::SuspensionScope scope, std::string_view id)
        override;
    [[nodiscard]] std::vector<persistence::Suspension> suspensions(
        persistence::SuspensionScope scope
    ) override;
    [[nodiscard]] std::vector<persistence::Suspension> suspensions_of(const schema::Job& job
    ) override;
    [[nodiscard]] std::vector<persistence::ScopeSummary>
    scopes(persistence::SuspensionScope scope, std::string_view after, std::size_t limit) override;
    [[nodiscard]] std::vector<persistence::ScopeSummary> suspended_scopes(
        persistence::SuspensionScope scope,
        std::string_view after,
        std::size_t limit
    ) override;
    [[nodiscard]] std::optional<persistence::AwaitedGroup> awaited_group(const schema::Job& job
    ) override;
    [[nodiscard]] std::optional<persistence::GroupHold> group_hold(const schema::Job& job) override;

private:
    [[nodiscard]] bool is_seen(const schema::Job& job) const;
    void hide_in(schema::Job& job) const;
    [[nodiscard]] std::vector<schema::Job> shown(std::vector<schema::Job> jobs) const;
    [[nodiscard]] bool is_timer_seen(std::string_view id);
    [[nodiscard]] persistence::JobFilter narrowed(persistence::JobFilter filter) const;
    void refuse_if_narrow() const;

    /// `act` does it to those that are seen, and gets their indices among all; the others are not
    /// found. Where the scope leaves nothing out, it gets all ids and no indices: who needs them
    /// asks for that first.
    template <typename Act>
    [[nodiscard]] std::vector<persistence::JobAnswer>
    for_seen(schema::JobPlace place, std::span<const std::string> ids, const Act& act);

    persistence::OperatorStore& store_;
    const Scope& scope_;
};

}  // namespace jobstrand::service
