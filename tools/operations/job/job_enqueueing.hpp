#pragma once

#include "executor/enqueue/new_job.hpp"
#include "executor/enqueue/taken_names.hpp"
#include "tools/session/session.hpp"

#include <string>

namespace jobstrand::cli {

/// Enqueues a job; one that repeats begins its series. Throws DbError duplicate_key when its id or
/// the key of its series is taken, and KeyHeld when its unique key is.
schema::Enqueued enqueue(Session& session, const executor::NewJob& job);

/// After a duplicate key: `there is a job 17 already`, or the series; empty: neither is there.
[[nodiscard]] std::string what_is_taken(Session& session, const executor::NewJob& job);

[[nodiscard]] std::string in_words(const executor::TakenName& taken);

}  // namespace jobstrand::cli
