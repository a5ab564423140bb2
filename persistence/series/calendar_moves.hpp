#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/series_schedule.hpp"

#include <cstddef>

namespace jobstrand::persistence {

/// Gives the waiting turns of all series the due dates that they have by the calendars `after`;
/// those that the calendars `before` would have given the same one are left alone. A series whose
/// calendar leaves no time any more ends. Returns how many turns moved.
[[nodiscard]] std::size_t move_turns(
    Transaction& transaction,
    const schema::SeriesSchedule& schedule,
    const schema::CalendarTexts& before,
    const schema::CalendarTexts& after,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
