#include "persistence/rows/due_date_range.hpp"
#include "persistence/rows/insert_jobs.hpp"
#include "persistence/rows/job_address.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/series/series_operations.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
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

/// What the series leaves open comes from its first turn.
void complete(Series& series, const Job& turn) {
    const Series defaults = schema::series_of(turn);
    const auto fill = [](std::string& field, const std::string& value) {
        if (field.empty()) {
            field = value;
        }
    };
    fill(series.key, defaults.key);
    fill(series.repeat, defaults.repeat);
    fill(series.handler_type, defaults.handler_type);
    if (series.retries == schema::kDefaultRetries) {
        series.retries = defaults.retries;
    }
    series.overlap = series.overlap && !series.keep_data;
    series.fire_count = 0;
    series.previous_fire.reset();
}

/// Fills in series and turn.
void begin(
    NewSeries& fresh,
    const schema::SeriesSchedule& schedule,
    const schema::CalendarTexts& calendars,
    schema::DatabaseKind kind,
    schema::TimePoint now
) {
    complete(fresh.series, fresh.first_turn);
    refuse_problems(fresh.series);
    require_storable(fresh.first_turn.due_date, kind);
    const auto begun = schedule.begin(fresh.series, calendars, fresh.first_turn.due_date, now);
    if (!begun) {
        throw std::invalid_argument(describe(begun.error(), fresh.series));
    }
    fresh.series = begun.value().series;
    require_storable(fresh.series, kind);
    fresh.series.turn_id = fresh.first_turn.id;
    fresh.series.create_time = now;
    Job& turn = fresh.first_turn;
    turn.series = fresh.series.key;
    turn.repeat = schedule.repeat_of(fresh.series);
    turn.due_date = fresh.series.next_fire;
    turn.retries = fresh.series.retries;
    if (turn.type == schema::kMessageType) {
        turn.type = schema::kTimerType;
    }
}

bool is_calendar_named(const std::vector<NewSeries>& all) {
    return std::ranges::any_of(all, [](const NewSeries& one) {
        return !one.series.calendar.empty();
    });
}

}  // namespace

std::vector<PlacedJob> create_series(
    const StoreContext& context,
    Transaction& transaction,
    std::vector<NewSeries> series,
    schema::TimePoint now
) {
    const schema::CalendarTexts calendars =
        is_calendar_named(series) ? read_calendars(transaction) : schema::CalendarTexts{};
    std::vector<Series> rows;
    std::vector<PlacedJob> turns;
    for (NewSeries& one : series) {
        begin(one, context.schedule, calendars, transaction.kind(), now);
        if (one.starts_paused) {
            mark_suspended(transaction, SuspensionScope::series, one.series.key, now);
        }
        rows.push_back(std::move(one.series));
        turns.push_back({.place = JobPlace::timer, .job = std::move(one.first_turn)});
    }
    std::ranges::sort(rows, {}, &Series::key);
    insert_series(transaction, rows);
    return insert_jobs(context, transaction, std::move(turns), IdOrigin::given);
}

std::vector<PlacedJob>
create_series(const StoreContext& context, std::vector<NewSeries> series, schema::TimePoint now) {
    std::vector<std::string> ids;
    for (const NewSeries& one : series) {
        ids.push_back(one.first_turn.id);
    }
    std::vector<PlacedJob> turns;
    context.runner.run(
        [&](Transaction& transaction) { turns = create_series(context, transaction, series, now); },
        [&](Transaction& transaction) {
            const std::vector<std::string_view> list(ids.begin(), ids.end());
            return find_any(transaction, list).has_value();
        }
    );
    return turns;
}

}  // namespace jobstrand::persistence
