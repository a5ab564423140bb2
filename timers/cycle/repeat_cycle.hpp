#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"
#include "timers/calendar/calendar.hpp"
#include "timers/cron/cron_schedule.hpp"
#include "timers/zone/zone.hpp"
#include "timers/zone/zone_time.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::timers {

/// What the text of a timer does not say.
struct TimerContext {
    Zone zone = Zone::utc();
    DstRule rule = DstRule::quartz;
    const Calendar* calendar = nullptr;  ///< None: nothing is excluded. Outlives this object.
};

/// A repeating timer, as REPEAT_ holds it:
///
/// | text                     | meaning                                                         |
/// |--------------------------|-----------------------------------------------------------------|
/// | `R3/PT10H`               | three turns, 10 hours apart, from when it is enqueued           |
/// | `R/2027-01-01T00:00Z/P1D`| every day from then on, without end                             |
/// | `R3/PT10H/2027-01-01`    | no turn is due after the end                                    |
/// | `R3/START/PT10H/END`     | both; ours, Flowable keeps the end elsewhere                    |
/// | `R3/START/END`           | the first turn at START, the distance from START to END         |
///
/// Turns lie on a grid: START, START + period, START + 2 periods, each counted from START
/// (timers::add), so that nothing drifts. A START that is still to come is itself the first turn;
/// else the first one is the next grid time.
struct RepeatCycle {
    std::optional<int> turns;  ///< Still to come, the waiting one included; none: without end.
    std::optional<TimerDate> start;
    schema::IsoDuration period;  ///< Longer than nothing.
    std::optional<TimerDate> end;

    bool operator==(const RepeatCycle&) const = default;
};

/// Refuses `R0/...`, and periods that are empty.
[[nodiscard]] schema::ParseResult<RepeatCycle> parse_repeat_cycle(std::string_view text);

[[nodiscard]] std::string to_text(const RepeatCycle& cycle);

/// A turn as a timer row holds it: DUEDATE_, and what REPEAT_ says.
struct RepeatTurn {
    schema::TimePoint due;
    RepeatCycle cycle;

    bool operator==(const RepeatTurn&) const = default;
};

/// The first turn of a timer that is enqueued at `now`. A cycle without START starts at `now`: R3/
/// becomes `R3/2026-01-01T00:00:00Z/PT10H`. The first grid time after `now`; with a limited number
/// of turns at most one more period than turns after START, and `now` if that has passed
/// (Flowable). nullopt: all is over.
[[nodiscard]] std::optional<RepeatTurn>
first_turn(const RepeatCycle& cycle, const TimerContext& context, schema::TimePoint now);

/// The turn after that of `cycle`, which was due at `due` and is taken at `now`, not before;
/// `cycle` has a START. nullopt: there is none.
///
/// Without end (R/) it is the first grid time after `now`: missed turns are skipped. With a limited
/// number of turns none is skipped: it is the grid time after `due`, be it past. Both leave out
/// what the calendar excludes.
[[nodiscard]] std::optional<RepeatTurn> turn_after(
    const RepeatCycle& cycle,
    const TimerContext& context,
    schema::TimePoint due,
    schema::TimePoint now
);

/// The turns, at most `count`, of a timer that is enqueued at `after`, each taken when it is due:
/// see first_turn() and turn_after().
[[nodiscard]] std::vector<schema::TimePoint> grid_times(
    const RepeatCycle& cycle,
    const TimerContext& context,
    schema::TimePoint after,
    std::size_t count
);

}  // namespace jobstrand::timers
