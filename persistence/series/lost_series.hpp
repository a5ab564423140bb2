#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"

#include <span>

namespace jobstrand::persistence {

/// What a Flowable engine moves, such as a timer that its ManagementService makes executable, keeps
/// Flowable's columns only: a turn loses the name of its series, and the series would stand still.
/// Each series knows its turn; here the turns among these jobs that repeat get the name back.
/// Asks nothing where no engine is, or none of them has lost it.
void recall_series(Transaction& transaction, std::span<schema::Job* const> jobs);

}  // namespace jobstrand::persistence
