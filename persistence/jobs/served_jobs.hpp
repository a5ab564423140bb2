#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/served_store.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

/// What nodes serve; see ServedStore for what is promised.
namespace jobstrand::persistence {

void tell_served(
    const StoreContext& context,
    std::string_view node,
    const ServedJobs& served,
    schema::TimePoint now
);

void forget_node(const StoreContext& context, std::string_view node);

[[nodiscard]] bool
is_served(const StoreContext& context, const JobKind& kind, schema::TimePoint now);

[[nodiscard]] std::vector<UnservedJobs>
unserved_jobs(const StoreContext& context, schema::TimePoint now, std::size_t rows);

}  // namespace jobstrand::persistence
