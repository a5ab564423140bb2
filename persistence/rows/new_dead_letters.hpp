#pragma once

#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"

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
    const TransactionRunner::WasCommitted& was_committed,
    Commit commit = Commit::shared
);

/// A job that becomes a dead letter, with what there is to be told of it, whichever move makes it
/// one.
struct NewDeadLetter {
    const schema::Job* job = nullptr;  ///< As it stands among the dead letters. Never null.
    schema::JobPlace from = schema::JobPlace::executable;
    schema::TransitionReason reason = schema::TransitionReason::retries_exhausted;
    std::string node = {};  ///< Who held it.
};

/// Opens their incidents, and enqueues the job that tells of them, where that is switched on.
void log_dead_letters(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const NewDeadLetter> dead,
    schema::TimePoint now
);

/// The same for jobs that no run and no operator has made dead letters of, with their lines in the
/// job log.
void log_unplanned_dead_letters(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const NewDeadLetter> dead,
    schema::TimePoint now
);

// Rows that a producer's SQL wrote wrong. One such row harms itself alone: whoever reads a page
// sets it aside in the same transaction, says so in the log, and goes on with the others. Nothing
// is asked or written while all rows are right.

/// Makes dead letters of rows that this transaction has read for update in `from`.
void divert_unreadable(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace from,
    std::vector<schema::Job> rows
);

/// Gives ids to the rows of a place that no id finds (see is_nameless), so that they can be worked
/// with: bytes get their hexadecimal text, which is what an app that stores bytes forgot.
void name_nameless(Transaction& transaction, const StoreContext& context, schema::JobPlace place);

/// Quarantines what is wrong in a page: moves what cannot be read to the dead letters, and names
/// what is nameless. Leaves the jobs that are right.
void quarantine(
    Transaction& transaction,
    const StoreContext& context,
    schema::JobPlace from,
    JobRows& page
);

}  // namespace jobstrand::persistence
