#include "persistence/series/calendar_moves.hpp"

#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <map>
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
using schema::SeriesState;
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

/// Moves the waiting turns to the due dates that they have by now.
class TurnMoves {
public:
    TurnMoves(Transaction& transaction, const SeriesSchedule& schedule, TimePoint now)
        : transaction_(transaction), schedule_(schedule), now_(now) {}

    /// Returns whether the change makes a difference.
    bool
    move(Series series, PlacedJob* turn, const CalendarTexts& before, const CalendarTexts& after) {
        if (!series.next_fire || (turn != nullptr && is_locked(turn->job, now_))) {
            return false;
        }
        const auto was = schedule_.due_by_calendar(series, before, *series.next_fire, now_);
        const auto is = schedule_.due_by_calendar(series, after, *series.next_fire, now_);
        if (!is || (was && was.value() == is.value())) {
            return false;
        }
        series.next_fire = is.value();
        if (!series.next_fire || !is_storable(series, transaction_.dialect())) {
            end(std::move(series), turn);
        } else {
            if (series.state == SeriesState::waiting && turn != nullptr) {
                turn->job.due_date = series.next_fire;
                ++turn->job.revision;
                update_row(transaction_, turn->place, turn->job);
            }
            update_series(transaction_, std::span(&series, 1));
        }
        return true;
    }

private:
    void end(Series series, const PlacedJob* turn) {
        if (series.state == SeriesState::waiting && turn != nullptr) {
            const std::string_view id = turn->job.id;
            const Job* const job = &turn->job;
            delete_rows(transaction_, turn->place, std::span(&id, 1));
            delete_byte_arrays_of(transaction_, std::span(&job, 1));
        }
        series.next_fire.reset();
        series.turn_id.clear();
        series.state = SeriesState::ended;
        update_series(transaction_, std::span(&series, 1));
    }

    Transaction& transaction_;
    const SeriesSchedule& schedule_;
    const TimePoint now_;
};

}  // namespace

std::size_t move_turns(
    Transaction& transaction,
    const SeriesSchedule& schedule,
    const CalendarTexts& before,
    const CalendarTexts& after,
    TimePoint now
) {
    SeriesWithTurns users = lock_series_with_calendar(transaction);
    TurnMoves moves(transaction, schedule, now);
    std::size_t moved = 0;
    for (const auto& [key, series] : users.series) {
        const auto turn = users.turns.find(series.turn_id);
        PlacedJob* const row = turn == users.turns.end() ? nullptr : &turn->second;
        if (moves.move(series, row, before, after)) {
            ++moved;
        }
    }
    return moved;
}

}  // namespace jobstrand::persistence
