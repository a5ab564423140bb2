#include "timers/cycle/repeat_cycle.hpp"

#include "schema/ensure.hpp"
#include "schema/text/parsing.hpp"
#include "timers/cycle/iso_interval.hpp"
#include "timers/cycle/repeat_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace jobstrand::timers {
namespace {

using schema::IsoDuration;
using schema::ParseError;
using schema::ParseResult;
using schema::TimePoint;

/// More turns than one a second in thirty years are a typing error.
constexpr std::int64_t kMostRepeats = 1'000'000'000;

constexpr std::int64_t kNoLastIndex = std::numeric_limits<std::int64_t>::max();

RepeatGrid grid_of(const RepeatCycle& cycle, const Zone& zone) {
    return {cycle.start->in(zone), cycle.period, zone};
}

/// The first time on the grid after `now`, but not behind `last_index`: what has passed is due now.
std::optional<TimePoint> due_on_grid(
    const RepeatGrid& grid,
    TimePoint now,
    std::int64_t last_index,
    const Calendar* calendar
) {
    const std::int64_t next = grid.index_after(now);
    const std::optional<TimePoint> time = grid.at(std::min(next, last_index));
    if (!time) {
        return std::nullopt;
    }
    const TimePoint due = std::max(*time, now);
    if (calendar == nullptr || is_included(*calendar, due)) {
        return due;
    }
    const std::optional<std::int64_t> included = grid.included_from(next, *calendar);
    return included ? grid.at(*included) : std::nullopt;
}

RepeatCycle starting_at(RepeatCycle cycle, TimePoint now) {
    if (!cycle.start) {
        cycle.start = TimerDate{WallTime{now.time_since_epoch()}, false};
    }
    return cycle;
}

ParseResult<RepeatCycle>
cycle_of(std::optional<int> turns, const IsoInterval& interval, std::size_t position) {
    if (interval.period == IsoDuration{}) {
        return ParseError{"a repeating timer needs a period longer than nothing", position};
    }
    // A distance of millennia between two dates; the text that is kept must be read again.
    if (!schema::parse_iso_duration(to_text(interval.period))) {
        return ParseError{"the period of a repeating timer is too long", position};
    }
    return RepeatCycle{turns, interval.start, interval.period, interval.end};
}

}  // namespace

ParseResult<RepeatCycle> parse_repeat_cycle(std::string_view text) {
    schema::TextScanner scanner(text);
    scanner.expect('R', "R");
    std::optional<int> turns;
    if (scanner.next_is_digit()) {
        const std::int64_t number = scanner.number("the number of turns");
        if (number < 1 || number > kMostRepeats) {
            scanner.fail_at(1, fmt::format("the number of turns must be 1 to {}", kMostRepeats));
        }
        turns = static_cast<int>(std::min(number, kMostRepeats));
    }
    scanner.expect('/', "'/' and a duration or a start");
    if (scanner.failed()) {
        return scanner.result(RepeatCycle{});
    }
    const auto interval = parse_iso_interval(text, scanner.position());
    if (!interval) {
        return interval.error();
    }
    return cycle_of(turns, interval.value(), scanner.position());
}

std::string to_text(const RepeatCycle& cycle) {
    std::string text = cycle.turns ? fmt::format("R{}", *cycle.turns) : "R";
    if (cycle.start) {
        text += '/' + to_text(*cycle.start);
    }
    text += '/' + to_text(cycle.period);
    if (cycle.end) {
        text += '/' + to_text(*cycle.end);
    }
    return text;
}

std::optional<RepeatTurn>
first_turn(const RepeatCycle& cycle, const TimerContext& context, TimePoint now) {
    RepeatCycle started = starting_at(cycle, now);
    const RepeatGrid grid = grid_of(started, context.zone);
    const std::int64_t last_index = cycle.turns ? *cycle.turns + std::int64_t{1} : kNoLastIndex;
    const std::optional<TimePoint> due = due_on_grid(grid, now, last_index, context.calendar);
    if (!due || (cycle.end && *due > cycle.end->in(context.zone))) {
        return std::nullopt;
    }
    return RepeatTurn{*due, started};
}

std::optional<RepeatTurn>
turn_after(const RepeatCycle& cycle, const TimerContext& context, TimePoint due, TimePoint now) {
    JOBSTRAND_ENSURE(cycle.start.has_value());
    JOBSTRAND_ENSURE(now >= due);
    RepeatCycle rest = cycle;
    if (rest.turns && --*rest.turns < 1) {
        return std::nullopt;
    }
    const RepeatGrid grid = grid_of(cycle, context.zone);
    std::optional<std::int64_t> index = grid.index_after(rest.turns ? due : now);
    if (context.calendar != nullptr) {
        index = grid.included_from(*index, *context.calendar);
    }
    const std::optional<TimePoint> time = index ? grid.at(*index) : std::nullopt;
    if (!time || (cycle.end && *time > cycle.end->in(context.zone))) {
        return std::nullopt;
    }
    return RepeatTurn{*time, rest};
}

std::vector<TimePoint> grid_times(
    const RepeatCycle& cycle,
    const TimerContext& context,
    TimePoint after,
    std::size_t count
) {
    std::vector<TimePoint> times;
    std::optional<RepeatTurn> turn = first_turn(cycle, context, after);
    while (turn && times.size() < count) {
        times.push_back(turn->due);
        turn = turn_after(turn->cycle, context, turn->due, turn->due);
    }
    return times;
}

}  // namespace jobstrand::timers
