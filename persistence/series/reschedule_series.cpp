#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_and_turn.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"
#include "schema/series/series_change.hpp"

#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Series;
using schema::SeriesState;

SeriesAnswer reschedule(
    Transaction& transaction,
    const schema::SeriesSchedule& schedule,
    const Series& times,
    schema::TimePoint now
) {
    std::optional<SeriesAndTurn> locked = with_turn_for_update(transaction, times.key);
    if (!locked || locked->series.state == SeriesState::ended || !locked->turn) {
        return SeriesAnswer::not_found;
    }
    if (locked->is_taken(now)) {
        return SeriesAnswer::locked;
    }
    const Series series = with_times_of(locked->series, times);
    const auto begun = schedule.begin(series, read_calendars(transaction), std::nullopt, now);
    if (!begun) {
        throw std::invalid_argument(describe(begun.error(), series));
    }
    require_storable(begun.value().series, transaction.dialect());
    const schema::SeriesTransition change = given_times(locked->series, begun.value().series);
    write_change(transaction, schedule, std::move(*locked), change);
    return SeriesAnswer::done;
}

}  // namespace

SeriesAnswer SeriesStore::reschedule_series(const Series& times, schema::TimePoint now) {
    SeriesAnswer answer = SeriesAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) {
            answer = reschedule(transaction, context_.schedule, times, now);
        },
        run_again  // The same texts once more do no harm.
    );
    return answer;
}

}  // namespace jobstrand::persistence
