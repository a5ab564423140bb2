#pragma once

#include "schema/series.hpp"
#include "timers/series/misfire.hpp"

namespace jobstrand::timers {

/// What the texts of series mean.
///
/// | text               | misfire instruction | a turn that is late                               |
/// |--------------------|---------------------|---------------------------------------------------|
/// | `R/PT10H`          | none                | fires; the next one is the first grid time to come|
/// | `R3/PT10H`         | none                | fires; the missed ones follow it at once          |
/// | a cycle            | one of SimpleMisfire| beyond the threshold, as the instruction says     |
/// | a cron text        | one of CronMisfire, `smart` if none | the same                          |
///
/// A cycle with an instruction is Quartz's simple timer: its period must be exact (hours, minutes,
/// seconds), and its START is the first turn even if it has passed.
///
/// A text may end with `DSTZONE:Europe/Berlin`, which wins over Series::zone (Flowable).
///
/// Thread safety: safe.
class SeriesPlanner final : public schema::SeriesSchedule {
public:
    explicit SeriesPlanner(schema::Duration misfire_threshold = kMisfireThreshold)
        : misfire_threshold_(misfire_threshold) {}

    [[nodiscard]] schema::ParseResult<schema::TurnPlan> begin(
        const schema::Series& series,
        const schema::CalendarTexts& calendars,
        std::optional<schema::TimePoint> due,
        schema::TimePoint now
    ) const override;

    [[nodiscard]] schema::ParseResult<schema::TurnPlan> plan(
        const schema::Series& series,
        const schema::CalendarTexts& calendars,
        schema::TimePoint due,
        schema::TimePoint now
    ) const override;

    [[nodiscard]] schema::ParseResult<std::optional<schema::TimePoint>> due_by_calendar(
        const schema::Series& series,
        const schema::CalendarTexts& calendars,
        schema::TimePoint due,
        schema::TimePoint now
    ) const override;

    [[nodiscard]] std::string repeat_of(const schema::Series& series) const override;

    [[nodiscard]] std::optional<schema::ParseError> problem_of_calendar(
        const std::string& name,
        const schema::CalendarTexts& calendars
    ) const override;

    [[nodiscard]] bool hangs_on(
        std::string_view calendar,
        std::string_view base,
        const schema::CalendarTexts& calendars
    ) const override;

private:
    const schema::Duration misfire_threshold_;
};

}  // namespace jobstrand::timers
