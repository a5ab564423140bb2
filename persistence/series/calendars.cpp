#include "persistence/rows/store_context.hpp"
#include "persistence/series/calendar_moves.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"
#include "schema/text/text_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace jobstrand::persistence {

namespace {

using schema::CalendarTexts;
using schema::SeriesSchedule;
using schema::TimePoint;

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
    bool is_used = false;
    transaction.query({.sql = kUsers, .columns = 1}, {name}, [&](const Row&) { is_used = true; });
    return is_used;
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
    const std::string sql = fmt::format(
        kDeleteCalendar,
        fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_CALENDAR"))
    );
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
    std::vector<StoredCalendar> calendars;
    context_.runner.read([&](Connection& connection) {
        calendars.clear();
        connection.query({.sql = kList, .columns = 2}, {}, [&](const Row& row) {
            calendars.push_back({.name = std::string(row.text(0)), .text = std::string(row.text(1))}
            );
        });
    });
    return calendars;
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
