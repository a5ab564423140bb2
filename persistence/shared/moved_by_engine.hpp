#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"
#include "schema/log.hpp"

#include <span>

namespace jobstrand::persistence {

/// Logs which of these jobs, just claimed in tables that a Flowable engine shares, are timers of
/// ours that its management has moved before they were due: it has copied Flowable's columns only.
/// They are known by a row that nobody has changed since it came, with a due date after that.
void tell_moved_by_engine(schema::Log& log, std::span<const schema::Job> jobs);

/// What a Flowable engine moves, such as a timer that its ManagementService makes executable, keeps
/// Flowable's columns only: a turn loses the name of its series, and the series would stand still.
/// Each series knows its turn; here the turns among these jobs that repeat get the name back.
/// Asks nothing where no engine is, or none of them has lost it.
void recall_series(Transaction& transaction, std::span<schema::Job* const> jobs);

}  // namespace jobstrand::persistence
