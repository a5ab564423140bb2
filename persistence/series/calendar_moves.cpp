#include "persistence/series/calendar_moves.hpp"

#include "persistence/rows/job_table.hpp"
#include "persistence/series/locked_series.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/series_change.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::CalendarTexts;
using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesSchedule;
using schema::TimePoint;

constexpr std::string_view kSeriesWithCalendar = R"sql(
    SELECT ID_, TURN_ID_
    FROM JS_SERIES
    WHERE CALENDAR_ IS NOT NULL AND STATE_ <> 'ended'
    ORDER BY ID_)sql";

using TurnsById = std::map<std::string, PlacedJob, std::less<>>;

/// The waiting turns, locked: in the timer place, or suspended.
TurnsById lock_turns(Transaction& transaction, std::vector<std::string_view> ids) {
    std::ranges::sort(ids);
    TurnsById turns;
    for (const JobPlace place : {JobPlace::timer, JobPlace::suspended}) {
        for (Job& row : lock_rows(transaction, place, ids)) {
            const std::string id = row.id;
            turns.emplace(id, PlacedJob{.place = place, .job = std::move(row)});
        }
    }
    return turns;
}

struct SeriesWithTurns {
    SeriesByKey series;
    TurnsById turns;
};

SeriesWithTurns lock_series_with_calendar(Transaction& transaction) {
    std::map<std::string, std::string> turn_of;
    transaction.query({.sql = kSeriesWithCalendar, .columns = 2}, {}, [&](const Row& row) {
        turn_of.emplace(row.text(0), row.text(1));
    });
    std::vector<std::string_view> keys;
    std::vector<std::string_view> ids;
    for (const auto& [key, turn] : turn_of) {
        keys.emplace_back(key);
        ids.emplace_back(turn);
    }
    SeriesWithTurns found{.series = {}, .turns = lock_turns(transaction, std::move(ids))};
    found.series = lock_series(transaction, keys);
    for (const auto& [key, series] : found.series) {
        if (series.turn_id != turn_of[key]) {
            throw DbError(DbErrorKind::conflict, "a turn was taken while calendars changed");
        }
    }
    return found;
}

/// By the calendars `before` and `after`. nullopt: the change makes no difference to the series.
std::optional<schema::SeriesTransition> change_of(
    const LockedSeries& locked,
    const SeriesSchedule& schedule,
    const CalendarTexts& before,
    const CalendarTexts& after,
    const Dialect& dialect,
    TimePoint now
) {
    const Series& series = locked.series;
    if (!series.next_fire || (locked.turn && is_locked(locked.turn->job, now))) {
        return std::nullopt;
    }
    const auto was = schedule.due_by_calendar(series, before, *series.next_fire, now);
    const auto is = schedule.due_by_calendar(series, after, *series.next_fire, now);
    if (!is || (was && was.value() == is.value())) {
        return std::nullopt;
    }
    schema::SeriesTransition change = calendar_changed(series, is.value());
    return is_storable(*change.series, dialect) ? change : calendar_changed(series, std::nullopt);
}

}  // namespace

std::size_t move_turns(
    Transaction& transaction,
    const SeriesSchedule& schedule,
    const CalendarTexts& before,
    const CalendarTexts& after,
    TimePoint now
) {
    SeriesWithTurns users = lock_series_with_calendar(transaction);
    std::size_t moved = 0;
    for (auto& [key, series] : users.series) {
        LockedSeries locked{.series = std::move(series), .turn = {}};
        if (const auto turn = users.turns.find(locked.series.turn_id); turn != users.turns.end()) {
            locked.turn = std::move(turn->second);
        }
        const auto change = change_of(locked, schedule, before, after, transaction.dialect(), now);
        if (change) {
            write_change(transaction, schedule, std::move(locked), *change);
            ++moved;
        }
    }
    return moved;
}

}  // namespace jobstrand::persistence
