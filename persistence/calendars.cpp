#include "persistence/byte_arrays.hpp"
#include "persistence/db_error.hpp"
#include "persistence/dialect.hpp"
#include "persistence/job_table.hpp"
#include "persistence/series_table.hpp"
#include "persistence/sql_job_store.hpp"
#include "schema/limits.hpp"
#include "schema/text_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

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

constexpr std::string_view kPut = R"sql(
    INSERT INTO JS_CALENDAR (ID_, TEXT_) VALUES (?, ?)
    {on_existing_id} TEXT_ = {new_text})sql";

constexpr std::string_view kList = R"sql(
    SELECT ID_, TEXT_
    FROM JS_CALENDAR
    ORDER BY ID_)sql";

constexpr std::string_view kDelete = R"sql({delete_where} ID_ = ?)sql";

constexpr std::string_view kSeriesWithCalendar = R"sql(
    SELECT ID_, TURN_ID_
    FROM JS_SERIES
    WHERE CALENDAR_ IS NOT NULL AND STATE_ <> 'ended'
    ORDER BY ID_)sql";

constexpr std::string_view kUsers = R"sql(
    SELECT 1
    FROM JS_SERIES
    WHERE CALENDAR_ = ? AND STATE_ <> 'ended'
    LIMIT 1)sql";

void refuse_problems(const StoredCalendar& calendar) {
    std::vector<std::string> problems;
    schema::check_id("name", calendar.name, problems);
    schema::check_text("calendar", calendar.text, schema::limits::kInlinePayloadLength, problems);
    if (calendar.name.empty()) {
        problems.emplace_back("name must be given");
    }
    if (!problems.empty()) {
        throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "; ")));
    }
}

/// A change may also break a calendar that is based on this one.
void refuse_unreadable(const SeriesSchedule& schedule, const CalendarTexts& calendars) {
    for (const auto& [name, text] : calendars) {
        if (const auto problem = schedule.problem_of_calendar(name, calendars)) {
            throw std::invalid_argument(
                problem->position == 0
                    ? problem->message
                    : fmt::format("{} (at position {})", problem->message, problem->position)
            );
        }
    }
}

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
        if (!series.next_fire || !is_storable(series, transaction_.kind())) {
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

std::size_t put(
    Transaction& transaction,
    const SeriesSchedule& schedule,
    const StoredCalendar& calendar,
    TimePoint now
) {
    const CalendarTexts before = read_calendars(transaction);
    CalendarTexts after = before;
    after[calendar.name] = calendar.text;
    refuse_unreadable(schedule, after);
    const Dialect& dialect = dialect_of(transaction.kind());
    const std::string sql = fmt::format(
        kPut,
        fmt::arg("on_existing_id", dialect.on_existing_id),
        fmt::arg("new_text", fmt::format(fmt::runtime(dialect.new_value), "TEXT_"))
    );
    transaction.execute(sql, {std::string_view(calendar.name), std::string_view(calendar.text)});
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

bool is_used_by_series(Transaction& transaction, std::string_view name) {
    bool is_used = false;
    transaction.query({.sql = kUsers, .columns = 1}, {name}, [&](const Row&) { is_used = true; });
    return is_used;
}

Answer
remove_unused(Transaction& transaction, const SeriesSchedule& schedule, std::string_view name) {
    CalendarTexts rest = read_calendars(transaction);
    const auto found = rest.find(name);
    if (found == rest.end()) {
        return Answer::not_found;
    }
    rest.erase(found);
    const bool is_base = std::ranges::any_of(rest, [&](const auto& other) {
        return schedule.problem_of_calendar(other.first, rest).has_value();
    });
    if (is_base || is_used_by_series(transaction, name)) {
        return Answer::locked;
    }
    const std::string sql = fmt::format(
        kDelete, fmt::arg("delete_where", delete_where(transaction.kind(), "JS_CALENDAR"))
    );
    transaction.execute(sql, {name});
    return Answer::done;
}

}  // namespace

std::size_t SqlJobStore::put_calendar(const StoredCalendar& calendar, TimePoint now) {
    refuse_problems(calendar);
    std::size_t moved = 0;
    runner_.run(
        [&](Transaction& transaction) { moved = put(transaction, schedule_, calendar, now); },
        [](Transaction&) { return false; }  // The same text once more does no harm.
    );
    return moved;
}

std::vector<StoredCalendar> SqlJobStore::calendars() {
    std::vector<StoredCalendar> calendars;
    runner_.read([&](Connection& connection) {
        calendars.clear();
        connection.query({.sql = kList, .columns = 2}, {}, [&](const Row& row) {
            calendars.push_back({.name = std::string(row.text(0)), .text = std::string(row.text(1))}
            );
        });
    });
    return calendars;
}

Answer SqlJobStore::remove_calendar(std::string_view name) {
    Answer answer = Answer::not_found;
    runner_.run(
        [&](Transaction& transaction) { answer = remove_unused(transaction, schedule_, name); },
        [&](Transaction& transaction) {
            return answer == Answer::done && !read_calendars(transaction).contains(name);
        }
    );
    return answer;
}

}  // namespace jobstrand::persistence
