#pragma once

#include "persistence/job_filter.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "schema/job.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What an operator looks at; see OperatorStore for what is promised.
namespace jobstrand::persistence {

[[nodiscard]] std::optional<schema::PlacedJob>
find_job(const StoreContext& context, std::string_view id);

[[nodiscard]] std::vector<schema::Job> list_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
);

[[nodiscard]] std::vector<schema::Job> list_in_order(
    const StoreContext& context,
    schema::JobPlace place,
    const JobFilter& filter,
    const SortedPart& part
);

[[nodiscard]] std::optional<schema::Job>
mark_ahead(const StoreContext& context, schema::JobPlace place, const SortedPart& part);

[[nodiscard]] std::vector<std::string> list_job_ids(
    const StoreContext& context,
    schema::JobPlace place,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
);

[[nodiscard]] std::vector<DeadLetterFailure> list_failures(
    const StoreContext& context,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
);

[[nodiscard]] std::int64_t
count_jobs(const StoreContext& context, schema::JobPlace place, const JobFilter& filter);

[[nodiscard]] std::string exception_details(const StoreContext& context, const schema::Job& job);

[[nodiscard]] std::vector<schema::Job> newest_dead_letters(
    const StoreContext& context,
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
);

[[nodiscard]] std::vector<DeadLetterFailure> newest_failures(
    const StoreContext& context,
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
);

[[nodiscard]] std::vector<TypeCount>
count_types(const StoreContext& context, schema::JobPlace place, const JobFilter& filter);

[[nodiscard]] std::vector<OwnerCount>
count_lock_owners(const StoreContext& context, std::string_view up_to);

[[nodiscard]] std::vector<Suspension>
list_suspensions(const StoreContext& context, SuspensionScope scope);

[[nodiscard]] std::vector<Suspension>
suspensions_of(const StoreContext& context, const schema::Job& job);

/// Which part of a list of instances or definitions.
struct ScopePage {
    SuspensionScope scope;
    std::string_view after;
    std::size_t limit;
    bool only_suspended = false;
};

[[nodiscard]] std::vector<ScopeSummary>
list_scopes(const StoreContext& context, const ScopePage& page);

[[nodiscard]] std::optional<AwaitedGroup>
awaited_group(const StoreContext& context, const schema::Job& job);

[[nodiscard]] std::optional<GroupHold>
group_hold(const StoreContext& context, const schema::Job& job);

}  // namespace jobstrand::persistence
