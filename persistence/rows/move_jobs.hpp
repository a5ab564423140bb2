#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"

#include <span>
#include <vector>

/// Moves between places. schema::job_transition decides where a job goes; this file writes it.
///
/// A job on its way is a schema::PlacedJob: the row as it will stand in the place it goes to. Rows
/// are read for update, changed in memory and written whole, so that every column is kept, every
/// job of a set may change in its own way, and what the caller gets is what was stored. Of a job
/// that stays as it is, but for its lock and REV_, nothing need be sent: the server may copy the
/// row. Half of what a move costs PostgreSQL is to take in the rows.
namespace jobstrand::persistence {

/// The job after a transition that keeps it: the lock cleared, REV_ raised.
[[nodiscard]] schema::PlacedJob moved(schema::Job row, const schema::Transition& transition);

/// A job on its way that goes elsewhere instead: it was moved() already.
[[nodiscard]] schema::PlacedJob
redirected(schema::PlacedJob placed, const schema::Transition& transition);

/// The job in the suspended place instead of the one it was bound for, without a lock.
[[nodiscard]] schema::PlacedJob diverted(schema::PlacedJob placed);

/// Sends those jobs to the suspended place whose instance or definition is suspended.
void divert_suspended(Transaction& transaction, std::span<schema::PlacedJob> jobs);

/// Inserts each job into its place. Give them in id order.
void insert_placed(Transaction& transaction, std::span<const schema::PlacedJob* const> jobs);

/// Whether this transition of a row in `from` leaves all else as it is, so that a copy of it is
/// what has to stand in its next place. `row` is as it was read.
[[nodiscard]] bool
is_copied_by(const schema::Job& row, const schema::Transition& transition, schema::JobPlace from);

/// Inserts into their place the rows of `from` with the ids of these jobs, each with what may
/// differ and the next REV_: one statement for all that get the same. They go to one place. The
/// transaction has locked the rows.
void copy_rows(
    Transaction& transaction,
    schema::JobPlace from,
    std::span<const schema::PlacedJob* const> jobs
);

/// Moves jobs, in any order, whose rows in `from` this transaction has locked. `are_copies` says of
/// each whether its row is copied; empty: none is.
void move_rows(
    Transaction& transaction,
    schema::JobPlace from,
    std::span<const schema::PlacedJob> jobs,
    const std::vector<bool>& are_copies = {}
);

}  // namespace jobstrand::persistence
