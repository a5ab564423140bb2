#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/watch_store.hpp"

/// See WatchStore for what is promised.
namespace jobstrand::persistence {

[[nodiscard]] std::int64_t
count_due(const StoreContext& context, schema::TimePoint until, std::size_t most);

[[nodiscard]] WaitingJobs count_waiting(const StoreContext& context, std::size_t most);

[[nodiscard]] std::vector<FreeJobs> free_by_type(
    const StoreContext& context,
    schema::JobPlace place,
    std::size_t rows,
    std::size_t types
);

[[nodiscard]] std::vector<ExternalJobs>
external_by_type(const StoreContext& context, schema::TimePoint now, std::size_t rows);

[[nodiscard]] std::vector<RunningJob>
longest_runs(const StoreContext& context, schema::TimePoint now, std::size_t most);

}  // namespace jobstrand::persistence
