#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/served_store.hpp"
#include "persistence/sql/transaction.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

/// What nodes serve; see NodeStore and ServedStore for what is promised.
namespace jobstrand::persistence {

/// What the node serves from now on; nothing: it is forgotten.
void replace_served(Transaction& transaction, std::string_view node, const ServedJobs& served);

[[nodiscard]] bool
is_served(const StoreContext& context, const JobKind& kind, schema::TimePoint now);

[[nodiscard]] std::vector<UnservedJobs>
unserved_jobs(const StoreContext& context, schema::TimePoint now, std::size_t rows);

}  // namespace jobstrand::persistence
