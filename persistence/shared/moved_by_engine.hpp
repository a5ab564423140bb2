#pragma once

#include "schema/job.hpp"
#include "schema/log.hpp"

#include <span>

namespace jobstrand::persistence {

/// Logs which of these jobs, just claimed in tables that a Flowable engine shares, are timers of
/// ours that its management has moved before they were due: it has copied Flowable's columns only.
/// They are known by a row that nobody has changed since it came, with a due date after that.
void tell_moved_by_engine(schema::Log& log, std::span<const schema::Job> jobs);

}  // namespace jobstrand::persistence
