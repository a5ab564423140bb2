#include "persistence/series/calendar_moves.hpp"

#include "persistence/rows/job_row.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/series_and_turn.hpp"
#include "persistence/series/series_row.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/id_lists.hpp"
#include "schema/series/series_change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::CalendarTexts;
using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::TimePoint;

constexpr std::string_view kSeriesOfCalendars = R"sql(
    SELECT {columns}
    FROM JS_SERIES
    WHERE CALENDAR_ IN (...) AND STATE_ <> 'ended'
    ORDER BY ID_)sql";

using TurnsById = std::map<std::string, PlacedJob, std::less<>>;

/// The waiting turns among these, read for update: in the timer place, or suspended.
TurnsById turns_for_update(Transaction& transaction, std::vector<std::string_view> ids) {
    std::ranges::sort(ids);
    TurnsById turns;
    for (const JobPlace place : {JobPlace::timer, JobPlace::suspended}) {
        for (Job& row : rows_for_update(transaction, place, ids)) {
            const std::string id = row.id;
            turns.emplace(id, PlacedJob{.place = place, .job = std::move(row)});
        }
    }
    return turns;
}

/// Series that are named as never due again; more are not looked for, because a search that finds
/// nothing takes longest.
constexpr std::size_t kKeysShown = 3;

std::string in_words(std::vector<std::string> keys) {
    const bool has_more = keys.size() > kKeysShown;
    keys.resize(std::min(keys.size(), kKeysShown));
    return fmt::format("{}{}", fmt::join(keys, ", "), has_more ? " and more" : "");
}

}  // namespace

CalendarMoves::CalendarMoves(
    const schema::SeriesSchedule& schedule,
    CalendarChange change,
    TimePoint now
)
    : schedule_(schedule), change_(std::move(change)), now_(now) {
    for (const auto& [name, text] : change_.after) {
        if (schedule_.hangs_on(name, change_.name, change_.after)) {
            calendars_.emplace_back(name);
        }
    }
}

void CalendarMoves::plan(Connection& connection) {
    plans_.clear();
    never_due_.clear();
    const std::size_t columns = series_column_count();
    const std::string sql =
        fmt::format(kSeriesOfCalendars, fmt::arg("columns", series_columns() + ", REV_"));
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = calendars_})) {
        connection.query({.sql = text, .columns = columns + 1}, parameters, [&](const Row& row) {
            if (is_nameless(row)) {
                return;
            }
            const auto [series, complaint] = read_series_row(row);
            Plan plan = complaint.empty() ? plan_of(series, connection.dialect()) : Plan{};
            plan.revision = row.text(columns);
            plans_[series.key] = std::move(plan);
        });
    }
    refuse_never_due();
}

std::size_t CalendarMoves::apply(Transaction& transaction) {
    never_due_.clear();
    std::size_t moved = 0;
    for (auto& [user, current] : users_for_update(transaction)) {
        // A node that is about to move a turn reads the calendars after this.
        if (current.turn && is_locked(current.turn->job, now_)) {
            continue;
        }
        const Plan* const known = known_plan(user);
        const Plan plan =
            known != nullptr ? *known : plan_of(current.series, transaction.dialect());
        if (plan.makes_a_difference) {
            const auto change = calendar_changed(current.series, plan.due);
            write_change(transaction, schedule_, std::move(current), change);
            ++moved;
        }
    }
    refuse_never_due();
    return moved;
}

CalendarMoves::Plan CalendarMoves::plan_of(const Series& series, const Dialect& dialect) {
    if (!series.next_fire || never_due_.size() > kKeysShown) {
        return {};
    }
    const auto due_by = [&](const CalendarTexts& calendars) {
        return schedule_.due_by_calendar(series, calendars, *series.next_fire, now_);
    };
    const auto was = due_by(change_.before);
    const auto is = due_by(change_.after);
    if (!is || (was && was.value() == is.value())) {
        return {};
    }
    Series moved = series;
    moved.next_fire = is.value();
    if (is.value() && is_storable(moved, dialect)) {
        return {.makes_a_difference = true, .due = is.value()};
    }
    if (!series.end) {
        never_due_.push_back(series.key);
    }
    return {.makes_a_difference = true};
}

/// null: the series is not the one that was looked at.
const CalendarMoves::Plan* CalendarMoves::known_plan(const User& user) const {
    const auto found = plans_.find(user.key);
    return found != plans_.end() && found->second.revision == user.revision ? &found->second
                                                                            : nullptr;
}

void CalendarMoves::refuse_never_due() const {
    if (!never_due_.empty()) {
        throw std::invalid_argument(fmt::format(
            "with this text of the calendar \"{}\" these series would never be due again: {}",
            change_.name,
            in_words(never_due_)
        ));
    }
}

std::vector<CalendarMoves::User> CalendarMoves::users_to_move(Transaction& transaction) const {
    const std::string sql =
        fmt::format(kSeriesOfCalendars, fmt::arg("columns", "ID_, TURN_ID_, REV_"));
    std::vector<User> users;
    for (const auto& [text, parameters] : cut_id_list(sql, {.ids = calendars_})) {
        transaction.query({.sql = text, .columns = 3}, parameters, [&](const Row& row) {
            if (is_nameless(row)) {
                return;
            }
            User user{
                .key = std::string(row.text(0)),
                .turn_id = std::string(row.text(1)),
                .revision = std::string(row.text(2))};
            const Plan* const known = known_plan(user);
            if (known == nullptr || known->makes_a_difference) {
                users.push_back(std::move(user));
            }
        });
    }
    std::ranges::sort(users, {}, &User::key);
    return users;
}

std::vector<CalendarMoves::LockedUser> CalendarMoves::users_for_update(Transaction& transaction
) const {
    std::vector<User> users = users_to_move(transaction);
    std::vector<std::string_view> keys;
    std::vector<std::string_view> ids;
    for (const User& user : users) {
        keys.emplace_back(user.key);
        ids.emplace_back(user.turn_id);
    }
    TurnsById turns = turns_for_update(transaction, std::move(ids));
    SeriesByKey series = series_for_update(transaction, keys);
    std::vector<LockedUser> locked;
    for (User& user : users) {
        const auto found = series.find(user.key);
        if (found == series.end() || found->second.series.turn_id != user.turn_id) {
            throw DbError(DbErrorKind::conflict, "a turn was taken while a calendar was changed");
        }
        if (!found->second.is_readable()) {
            continue;
        }
        SeriesAndTurn current{.series = std::move(found->second.series), .turn = {}};
        if (const auto turn = turns.find(user.turn_id); turn != turns.end()) {
            current.turn = std::move(turn->second);
        }
        locked.push_back({.user = std::move(user), .current = std::move(current)});
    }
    return locked;
}

}  // namespace jobstrand::persistence
