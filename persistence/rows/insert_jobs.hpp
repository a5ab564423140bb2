#pragma once

#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <vector>

/// New jobs; see EnqueuerStore::insert for what is promised.
namespace jobstrand::persistence {

std::vector<schema::PlacedJob> insert_jobs(
    const StoreContext& context,
    Transaction& transaction,
    std::vector<schema::PlacedJob> jobs,
    IdOrigin ids
);

[[nodiscard]] std::vector<schema::Job> read_again(
    const StoreContext& context,
    Transaction& transaction,
    std::vector<schema::Job> inserted
);

/// In a transaction of its own.
std::vector<schema::PlacedJob>
insert_jobs(const StoreContext& context, std::vector<schema::PlacedJob> jobs, IdOrigin ids);

}  // namespace jobstrand::persistence
