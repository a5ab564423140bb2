#pragma once

#include "persistence/sql/transaction.hpp"
#include "tools/jobstrand/json/new_job.hpp"
#include "tools/jobstrand/session.hpp"

#include <string>
#include <vector>

namespace jobstrand::cli {

/// Enqueues a job; one that repeats begins its series. Returns the job's id. Throws DbError
/// duplicate_key when its id or the key of its series is taken.
std::string enqueue(Session& session, const NewJob& job);

/// The same for many: all or none.
void enqueue_all(Session& session, std::vector<NewJob> jobs);

/// In the caller's transaction.
void enqueue_all(Session& session, persistence::Transaction& transaction, std::vector<NewJob> jobs);

/// After a duplicate key: `there is a job 17 already`, or the series; empty: neither is there.
[[nodiscard]] std::string what_is_taken(Session& session, const NewJob& job);

}  // namespace jobstrand::cli
