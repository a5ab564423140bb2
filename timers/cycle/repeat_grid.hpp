#pragma once

#include "schema/text/time_text.hpp"
#include "schema/time.hpp"
#include "timers/calendar/calendar.hpp"
#include "timers/zone/zone.hpp"

#include <cstdint>
#include <optional>

namespace jobstrand::timers {

/// The times start, start + period, start + 2 periods, ..., by index. Any of them is computed in
/// one go, however far it is away.
class RepeatGrid {
public:
    /// `period` is longer than nothing.
    RepeatGrid(schema::TimePoint start, const schema::IsoDuration& period, Zone zone)
        : start_(start), period_(period), zone_(std::move(zone)) {}

    /// nullopt: beyond schema::kLatestInstant.
    [[nodiscard]] std::optional<schema::TimePoint> at(std::int64_t index) const;

    /// The first index whose time is after `instant`, be it beyond what at() answers.
    [[nodiscard]] std::int64_t index_after(schema::TimePoint instant) const;

    /// The first index from `index` on that `calendar` includes. nullopt: there is none within
    /// kCalendarHorizon, or within a SearchBudget.
    [[nodiscard]] std::optional<std::int64_t>
    included_from(std::int64_t index, const Calendar& calendar) const;

private:
    [[nodiscard]] bool is_after(std::int64_t index, schema::TimePoint instant) const;
    [[nodiscard]] schema::Duration mean_period() const;

    schema::TimePoint start_;
    schema::IsoDuration period_;
    Zone zone_;
};

}  // namespace jobstrand::timers
