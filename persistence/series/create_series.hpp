#pragma once

#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <vector>

/// New series; see EnqueuerStore::create for what is promised.
namespace jobstrand::persistence {

std::vector<schema::PlacedJob> create_series(
    const StoreContext& context,
    Transaction& transaction,
    std::vector<NewSeries> series,
    schema::TimePoint now
);

/// In a transaction of its own.
std::vector<schema::PlacedJob>
create_series(const StoreContext& context, std::vector<NewSeries> series, schema::TimePoint now);

}  // namespace jobstrand::persistence
