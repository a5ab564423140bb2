#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/job_address.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_time.hpp"
#include "schema/series/series_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;

void refuse_problems(const Series& series) {
    std::vector<std::string> problems = schema::problems_of(series);
    if (series.repeat.empty()) {
        problems.emplace_back("repeat must be given");
    }
    if (!problems.empty()) {
        throw std::invalid_argument(fmt::format("{}", fmt::join(problems, "; ")));
    }
}

/// Fills in series and turn.
void begin(
    NewSeries& fresh,
    const schema::SeriesSchedule& schedule,
    const schema::CalendarTexts& calendars,
    const Dialect& dialect,
    schema::TimePoint now
) {
    const Series open = completed_by(std::move(fresh.series), fresh.first_turn);
    refuse_problems(open);
    require_storable(fresh.first_turn.due_date, dialect);
    const auto begun = schedule.begin(open, calendars, fresh.first_turn.due_date, now);
    if (!begun) {
        throw std::invalid_argument(describe(begun.error(), open));
    }
    require_storable(begun.value().series, dialect);
    fresh.series = begun_by(fresh.first_turn, begun.value().series, now);
    fresh.first_turn = first_turn_of(fresh.series, std::move(fresh.first_turn));
    fresh.first_turn.repeat = schedule.repeat_of(fresh.series);
}

bool is_calendar_named(const std::vector<NewSeries>& all) {
    return std::ranges::any_of(all, [](const NewSeries& one) {
        return !one.series.calendar.empty();
    });
}

}  // namespace

std::vector<PlacedJob> EnqueuerStore::create(
    Transaction& transaction,
    std::vector<NewSeries> series,
    schema::TimePoint now
) {
    const schema::CalendarTexts calendars =
        is_calendar_named(series) ? read_calendars(transaction) : schema::CalendarTexts{};
    std::vector<Series> rows;
    std::vector<PlacedJob> turns;
    for (NewSeries& one : series) {
        begin(one, context_.schedule, calendars, transaction.dialect(), now);
        if (one.starts_paused) {
            mark_suspended(transaction, SuspensionScope::series, one.series.key, now);
        }
        rows.push_back(std::move(one.series));
        turns.push_back({.place = JobPlace::timer, .job = std::move(one.first_turn)});
    }
    std::ranges::sort(rows, {}, &Series::key);
    insert_series(transaction, rows);
    return insert(transaction, std::move(turns));
}

std::vector<PlacedJob> EnqueuerStore::create(std::vector<NewSeries> series, schema::TimePoint now) {
    std::vector<std::string> ids;
    for (const NewSeries& one : series) {
        ids.push_back(one.first_turn.id);
    }
    std::vector<PlacedJob> turns;
    context_.runner.run(
        [&](Transaction& transaction) { turns = create(transaction, series, now); },
        [&](Transaction& transaction) {
            const std::vector<std::string_view> list(ids.begin(), ids.end());
            return find_any(transaction, list).has_value();
        }
    );
    return turns;
}

}  // namespace jobstrand::persistence
