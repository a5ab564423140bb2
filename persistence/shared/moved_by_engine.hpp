#pragma once

#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <span>

namespace jobstrand::persistence {

/// Logs which of these jobs of ours, just claimed in tables that a Flowable engine shares, its
/// management has moved: it has copied Flowable's columns and REV_ only, and made the row anew.
///
/// | what was moved                                | how it is known                         |
/// |-----------------------------------------------|-----------------------------------------|
/// | whatever has a UUIDv7 as its id, as ours have | the id is more than a minute older      |
/// | a timer that nobody has changed, before it    | it was due after its row was made       |
/// | was due                                       |                                         |
/// | a dead letter, or what waited for a retry     | it has failed, and there is no attempt, |
/// |                                               | and it has not been due since           |
///
/// Of turns of a series that recall_series() has found nothing is lost but their attempts.
void log_moved_by_engine(
    schema::Log& log,
    std::span<const schema::Job> jobs,
    schema::TimePoint now
);

/// Gives turns among these jobs that an engine has moved back the name of their series, and what
/// the series keeps of them. Without it the series would stand still. Each series knows its turn.
/// Asks nothing where no engine is, or none of them has lost it.
void recall_series(Transaction& transaction, std::span<schema::Job* const> jobs);

/// The same for claimed jobs.
void recall_series(Transaction& transaction, std::span<schema::Job> jobs);

}  // namespace jobstrand::persistence
