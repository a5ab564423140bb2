#pragma once

#include "persistence/operator_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "schema/job_place.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What an operator does with jobs; see OperatorStore for what is promised.
namespace jobstrand::persistence {

[[nodiscard]] JobAnswer
fire_timer(const StoreContext& context, std::string_view id, schema::TimePoint now);

[[nodiscard]] JobAnswer reschedule_timer(
    const StoreContext& context,
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
);

[[nodiscard]] std::vector<JobAnswer> change_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string> ids,
    const ManyChanges& changes,
    schema::TimePoint now
);

[[nodiscard]] std::vector<JobAnswer> remove_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string> ids,
    schema::TimePoint now
);

[[nodiscard]] std::vector<JobAnswer> cancel_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string> ids,
    std::string_view message,
    schema::TimePoint now
);

[[nodiscard]] std::vector<JobAnswer> requeue_dead_letters(
    const StoreContext& context,
    std::span<const std::string> ids,
    int retries,
    const DueDates& due_dates,
    schema::TimePoint now
);

std::int64_t suspend_jobs(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now,
    const OnMoved& on_moved
);

std::int64_t activate_jobs(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now,
    const OnMoved& on_moved
);

}  // namespace jobstrand::persistence
