#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"

#include <span>

/// Moves within the database server: of a job that stays as it is, but for its lock and REV_,
/// nothing need be sent. Half of what a move costs PostgreSQL is to take in the rows.
namespace jobstrand::persistence {

/// Whether this transition of a row in `from` leaves all else as it is, so that a copy of it is
/// what has to stand in its next place. `row` is as it was read.
[[nodiscard]] bool is_copied_by(
    const schema::Job& row,
    const schema::Transition& transition,
    schema::JobPlace from
);

/// Inserts into their place the rows of `from` with the ids of these jobs, each with the lock of
/// its job and the next REV_. They go to one place. The transaction has locked the rows.
void copy_rows(
    Transaction& transaction,
    schema::JobPlace from,
    std::span<const schema::PlacedJob* const> jobs
);

}  // namespace jobstrand::persistence
