#pragma once

#include "schema/series/series.hpp"
#include "schema/text/parse_result.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// What becomes of a series when its turn has fallen due.
struct TurnPlan {
    bool fires = true;  ///< false: the misfire instruction says that the turn is left out.

    /// The due date of the turn that waits from then on; nullopt: the series has ended.
    std::optional<TimePoint> next_due = {};

    /// The series as it is then: its grid, its counts, its times, its state.
    Series series = {};
};

/// When series fire: what their texts mean. The job store asks it while it moves turns; timers/
/// answers. Pure: texts and times in, plans out.
///
/// `calendars` holds all calendars that there are. Texts come from people: what cannot be read is
/// answered by a ParseError, whose position is in Series::repeat, or 0 for another field.
///
/// Thread safety: every implementation is safe.
class SeriesSchedule {
public:
    virtual ~SeriesSchedule() = default;

    /// A new series, or one with new texts: its grid and counts begin anew. `due` is the due date
    /// of its first turn, if the caller chose one. The plan never fires and always has a next_due.
    [[nodiscard]] virtual ParseResult<TurnPlan> begin(
        const Series& series,
        const CalendarTexts& calendars,
        std::optional<TimePoint> due,
        TimePoint now
    ) const = 0;

    /// The turn that waits for `due` is taken at `now` (R127). Taken early, `now` counts as `due`.
    [[nodiscard]] virtual ParseResult<TurnPlan> plan(
        const Series& series,
        const CalendarTexts& calendars,
        TimePoint due,
        TimePoint now
    ) const = 0;

    /// The due date that these calendars give the turn that waits for `due`: the first time after
    /// now that they include. What is due already stays. nullopt: the series has ended.
    [[nodiscard]] virtual ParseResult<std::optional<TimePoint>> due_by_calendar(
        const Series& series,
        const CalendarTexts& calendars,
        TimePoint due,
        TimePoint now
    ) const = 0;

    /// REPEAT_ of the waiting turn, as Flowable writes it: `R2/2026-01-01T00:00:00Z/PT10H`.
    [[nodiscard]] virtual std::string repeat_of(const Series& series) const = 0;

    /// nullopt: the calendar, and those it is based on, can be read.
    [[nodiscard]] virtual std::optional<ParseError>
    problem_of_calendar(const std::string& name, const CalendarTexts& calendars) const = 0;

    /// Whether a calendar leaves out what another one does: it is `base`, or is based on it, also
    /// by way of others.
    [[nodiscard]] virtual bool hangs_on(
        std::string_view calendar,
        std::string_view base,
        const CalendarTexts& calendars
    ) const = 0;
};

}  // namespace jobstrand::schema
