#pragma once

#include "schema/series.hpp"

#include <cstddef>
#include <vector>

namespace jobstrand::timers {

/// When the next turns of a series begin, if each is taken as soon as it is due: the first that are
/// after `after`, `count` at most. A turn that is late at `now` is up to the misfire instruction,
/// and those that are missed and run nevertheless all begin at `now`.
///
/// No more than 100,000 turns are looked through.
[[nodiscard]] schema::ParseResult<std::vector<schema::TimePoint>> next_turns(
    const schema::SeriesSchedule& schedule,
    schema::Series series,
    const schema::CalendarTexts& calendars,
    schema::TimePoint now,
    schema::TimePoint after,
    std::size_t count
);

}  // namespace jobstrand::timers
