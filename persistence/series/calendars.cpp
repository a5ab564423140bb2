#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/change_series.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/limits.hpp"
#include "schema/series.hpp"
#include "schema/series_transition.hpp"
#include "schema/text/column_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using schema::CalendarTexts;
using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesSchedule;
using schema::TimePoint;

namespace {

/// A calendar that gets another text: all texts before that and after it.
struct CalendarChange {
    std::string name;
    schema::CalendarTexts before;
    schema::CalendarTexts after;
};

/// What a changed calendar does to the series that hang on it: their waiting turns get the due
/// dates that they have by the new text. Those that the old text would have given the same one are
/// left alone.
///
/// The due dates are looked for before anything is locked, because that takes time; the transaction
/// looks again only for series that changed meanwhile.
///
/// A series whose row cannot be read is left alone: it ends with its next turn.
///
/// A series with an end that the calendar leaves no time before it ends. One without an end would
/// never be due again, which nobody means: it is refused with std::invalid_argument.
class CalendarMoves final {
public:
    /// The schedule must outlive it.
    CalendarMoves(
        const schema::SeriesSchedule& schedule,
        CalendarChange change,
        schema::TimePoint now
    );

    [[nodiscard]] const CalendarChange& change() const { return change_; }

    /// Looks for the due dates. Throws std::invalid_argument.
    void plan(Connection& connection);

    /// In the transaction that stores the new text, and after that. Returns how many turns moved.
    /// Throws std::invalid_argument, and DbError conflict when a turn was taken meanwhile.
    [[nodiscard]] std::size_t apply(Transaction& transaction);

private:
    /// What the change means for a series of this revision. Revisions are compared only, as texts:
    /// a text can always be read.
    struct Plan {
        std::string revision = {};
        bool makes_a_difference = false;
        std::optional<schema::TimePoint> due = {};  ///< nullopt: then it ends.
    };

    /// A series that hangs on the calendar, as the transaction finds it.
    struct User {
        std::string key;
        std::string turn_id;
        std::string revision;
    };

    struct LockedUser {
        User user;
        SeriesAndTurn current;
    };

    [[nodiscard]] Plan plan_of(const schema::Series& series, const Dialect& dialect);
    [[nodiscard]] const Plan* known_plan(const User& user) const;
    void refuse_never_due() const;
    [[nodiscard]] std::vector<User> users_to_move(Transaction& transaction) const;
    [[nodiscard]] std::vector<LockedUser> users_for_update(Transaction& transaction) const;

    const schema::SeriesSchedule& schedule_;
    const CalendarChange change_;
    const schema::TimePoint now_;
    std::vector<std::string_view> calendars_;  ///< The one that changes, and all that hang on it.
    std::map<std::string, Plan, std::less<>> plans_;
    std::vector<std::string> never_due_;
};

constexpr std::string_view kSeriesOfCalendars = R"sql(
    SELECT {columns}
    FROM JS_SERIES
    WHERE ID_ >= ? AND CALENDAR_ IN (...) AND STATE_ <> 'ended'
    ORDER BY ID_
    LIMIT ?)sql";

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
        const auto read = [&](const Row& row) {
            if (is_nameless(row)) {
                return;
            }
            const auto [series, complaint] = read_series_row(row);
            Plan plan = complaint.empty() ? plan_of(series, connection.dialect()) : Plan{};
            plan.revision = row.text(columns);
            plans_[series.key] = std::move(plan);
        };
        query_in_pieces(connection, {.sql = text, .columns = columns + 1}, "", parameters, read);
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
        const auto read = [&](const Row& row) {
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
        };
        query_in_pieces(transaction, {.sql = text, .columns = 3}, "", parameters, read);
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

namespace {

constexpr std::string_view kPut = R"sql(
    INSERT INTO JS_CALENDAR (ID_, TEXT_) VALUES (?, ?)
    {on_existing} TEXT_ = {new_text})sql";

constexpr std::string_view kList = R"sql(
    SELECT ID_, TEXT_
    FROM JS_CALENDAR
    ORDER BY ID_)sql";

constexpr std::string_view kDeleteCalendar = R"sql({delete_where} ID_ = ?)sql";

constexpr std::string_view kUsers = R"sql(
    SELECT 1
    FROM JS_SERIES
    WHERE CALENDAR_ = ? AND STATE_ <> 'ended'
    LIMIT 1)sql";

void refuse_bad_calendar(const StoredCalendar& calendar) {
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

/// How often a change is begun anew because others were changed in between.
constexpr int kMostAttempts = 5;

/// A change may also break a calendar that is based on this one.
void refuse_unreadable(const SeriesSchedule& schedule, const CalendarChange& change) {
    for (const auto& [name, text] : change.after) {
        if (name != change.name && !schedule.hangs_on(name, change.name, change.after)) {
            continue;
        }
        if (const auto problem = schedule.problem_of_calendar(name, change.after)) {
            throw std::invalid_argument(
                problem->position == 0
                    ? problem->message
                    : fmt::format("{} (at position {})", problem->message, problem->position)
            );
        }
    }
}

CalendarChange change_to(const StoreContext& context, const StoredCalendar& calendar) {
    CalendarChange change{.name = calendar.name, .before = {}, .after = {}};
    for (StoredCalendar& stored : SeriesStore(context).calendars()) {
        change.before.emplace(std::move(stored.name), std::move(stored.text));
    }
    change.after = change.before;
    change.after[calendar.name] = calendar.text;
    refuse_unreadable(context.schedule, change);
    return change;
}

/// nullopt: calendars have changed since the moves were planned, and nothing was written.
std::optional<std::size_t>
put(Transaction& transaction, const StoredCalendar& calendar, CalendarMoves& moves) {
    if (read_calendars(transaction) != moves.change().before) {
        return std::nullopt;
    }
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(
        kPut,
        fmt::arg("on_existing", on_existing(dialect, "ID_")),
        fmt::arg("new_text", fmt::format(fmt::runtime(dialect.new_value), "TEXT_"))
    );
    transaction.execute(sql, {std::string_view(calendar.name), std::string_view(calendar.text)});
    return moves.apply(transaction);
}

bool is_used_by_series(Transaction& transaction, std::string_view name) {
    return has_row(transaction, kUsers, {name});
}

CalendarAnswer
remove_unused(Transaction& transaction, const SeriesSchedule& schedule, std::string_view name) {
    CalendarTexts rest = read_calendars(transaction);
    const auto found = rest.find(name);
    if (found == rest.end()) {
        return CalendarAnswer::not_found;
    }
    rest.erase(found);
    const bool is_base = std::ranges::any_of(rest, [&](const auto& other) {
        return schedule.hangs_on(other.first, name, rest);
    });
    if (is_base || is_used_by_series(transaction, name)) {
        return CalendarAnswer::in_use;
    }
    const std::string sql = delete_from(transaction.dialect(), "JS_CALENDAR", kDeleteCalendar);
    transaction.execute(sql, {name});
    return CalendarAnswer::done;
}

}  // namespace

std::size_t SeriesStore::put_calendar(const StoredCalendar& calendar, TimePoint now) {
    refuse_bad_calendar(calendar);
    for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
        CalendarMoves moves(context_.schedule, change_to(context_, calendar), now);
        context_.runner.read([&](Connection& connection) { moves.plan(connection); });
        std::optional<std::size_t> moved;
        context_.runner.run(
            [&](Transaction& transaction) { moved = put(transaction, calendar, moves); },
            run_again  // The same text once more does no harm.
        );
        if (moved) {
            return *moved;
        }
    }
    throw DbError(DbErrorKind::conflict, "other calendars are changed all the time: try again");
}

std::vector<StoredCalendar> SeriesStore::calendars() {
    return context_.runner.read([](Connection& connection) {
        return all_rows(connection, {.sql = kList, .columns = 2}, {}, [](const Row& row) {
            return StoredCalendar{
                .name = std::string(row.text(0)), .text = std::string(row.text(1))};
        });
    });
}

CalendarAnswer SeriesStore::remove_calendar(std::string_view name) {
    CalendarAnswer answer = CalendarAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) {
            answer = remove_unused(transaction, context_.schedule, name);
        },
        [&](Transaction& transaction) {
            return answer == CalendarAnswer::done && !read_calendars(transaction).contains(name);
        }
    );
    return answer;
}

}  // namespace jobstrand::persistence
