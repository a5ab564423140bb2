#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"

#include <span>
#include <string>

/// What there is to be told when jobs become dead letters, whichever move makes them.
namespace jobstrand::persistence {

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

}  // namespace jobstrand::persistence
