#include "persistence/rows/job_table.hpp"
#include "persistence/series/locked_series.hpp"
#include "persistence/series/series_operations.hpp"
#include "persistence/series/series_table.hpp"

#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::Series;
using schema::SeriesState;

void take_texts(Series& series, const Series& times) {
    series.repeat = times.repeat;
    series.zone = times.zone;
    series.dst_rule = times.dst_rule;
    series.calendar = times.calendar;
    series.misfire = times.misfire;
    series.misfire_threshold = times.misfire_threshold;
    series.start = times.start;
    series.end = times.end;
}

SeriesAnswer reschedule(
    Transaction& transaction,
    const schema::SeriesSchedule& schedule,
    const Series& times,
    schema::TimePoint now
) {
    std::optional<LockedSeries> locked = lock_with_turn(transaction, times.key);
    if (!locked || locked->series.state == SeriesState::ended || !locked->turn) {
        return SeriesAnswer::not_found;
    }
    if (locked->is_waiting() && is_locked(locked->turn->job, now)) {
        return SeriesAnswer::locked;
    }
    Series series = locked->series;
    take_texts(series, times);
    const auto begun = schedule.begin(series, read_calendars(transaction), std::nullopt, now);
    if (!begun) {
        throw std::invalid_argument(describe(begun.error(), series));
    }
    series = begun.value().series;
    require_storable(series, transaction.dialect());
    if (locked->is_waiting()) {
        Job& turn = locked->turn->job;
        turn.due_date = series.next_fire;
        turn.repeat = schedule.repeat_of(series);
        ++turn.revision;
        update_row(transaction, locked->turn->place, turn);
    } else {
        series.state = locked->series.state;
    }
    update_series(transaction, std::span(&series, 1));
    return SeriesAnswer::done;
}

}  // namespace

SeriesAnswer
reschedule_series(const StoreContext& context, const Series& times, schema::TimePoint now) {
    SeriesAnswer answer = SeriesAnswer::not_found;
    context.runner.run(
        [&](Transaction& transaction) {
            answer = reschedule(transaction, context.schedule, times, now);
        },
        [](Transaction&) { return false; }  // The same texts once more do no harm.
    );
    return answer;
}

}  // namespace jobstrand::persistence
