#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "schema/job.hpp"

#include <span>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// Jobs that cannot go where they are bound for, because another job with their id stands there.
struct DuplicateIds {
    bool are_expected = false;          ///< A first try has met one; looking for them costs reads.
    std::vector<std::string> diverted;  ///< Sent to the dead letters.
};

/// Where duplicates are expected among jobs, in any order: sends them to the dead letters, so that
/// they do not stop the others. Their rows in `from` were read for update.
void divert_duplicates(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace from,
    std::span<schema::PlacedJob> jobs,
    DuplicateIds& duplicates
);

/// Gives those of the jobs that go to the dead letters a new id, in `from` too, whose own another
/// dead letter has; their messages say so. There is no further place to send a job to.
void give_free_ids(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace from,
    std::span<schema::PlacedJob> jobs
);

/// Runs a move as the runner does. When it meets a job with a duplicate id, moves such jobs to the
/// dead letters, runs once more, and says which they were.
void run_diverting_duplicates(
    const StoreContext& context,
    DuplicateIds& duplicates,
    const TransactionRunner::Work& move,
    const TransactionRunner::WasCommitted& was_committed
);

}  // namespace jobstrand::persistence
