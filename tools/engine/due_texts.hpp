#pragma once

#include "schema/series/series.hpp"
#include "schema/time.hpp"

#include <jobstrand/job.hpp>

#include <functional>
#include <span>

namespace jobstrand::engine {

/// Turns each NewJob::due into a due date. `calendars` is asked once, and only if a job names one.
/// Throws std::invalid_argument for texts that mean nothing, and next to a due_date.
void resolve_due_texts(
    std::span<NewJob> jobs,
    schema::TimePoint now,
    const std::function<schema::CalendarTexts()>& calendars
);

}  // namespace jobstrand::engine
