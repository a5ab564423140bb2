#include "persistence/history/job_log_page.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_address.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_and_turn.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/series/series_change.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesState;

std::optional<std::string> SeriesStore::fire_series(std::string_view key, schema::TimePoint now) {
    const std::string id = context_.ids.next();
    bool is_fired = false;
    const auto fire = [&](Transaction& transaction) {
        std::optional<SeriesAndTurn> locked = with_turn_for_update(transaction, key);
        is_fired = locked && locked->turn;
        if (!is_fired) {
            return;
        }
        Job job = schema::extra_job(std::move(locked->turn->job), locked->series, id, now);
        load_payloads(transaction, std::span(&job, 1));
        store_payloads(transaction, std::span(&job, 1), context_.ids);
        PlacedJob placed{.place = schema::place_of_new(job, now), .job = std::move(job)};
        divert_suspended(transaction, std::span(&placed, 1));
        const PlacedJob* const row = &placed;
        insert_placed(transaction, std::span(&row, 1));
        JobLogPage log(context_.history);
        log.add_created(placed.job, now);
        log.write(transaction);
    };
    context_.runner.run(fire, [&](Transaction& transaction) {
        const std::string_view job = id;
        return find_any(transaction, std::span(&job, 1)).has_value();
    });
    return is_fired ? std::optional(id) : std::nullopt;
}

namespace {

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

namespace {

constexpr std::string_view kDeleteSeries = R"sql({delete_where} ID_ = ?)sql";

constexpr std::string_view kForgetPause = R"sql(
    DELETE FROM JS_SUSPENSION
    WHERE SCOPE_ = 'series' AND ID_ = ?)sql";

SeriesAnswer end(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view key,
    schema::TimePoint now
) {
    std::optional<SeriesAndTurn> locked = with_turn_for_update(transaction, key);
    if (!locked) {
        return SeriesAnswer::not_found;
    }
    if (locked->is_taken(now)) {
        return SeriesAnswer::locked;
    }
    const schema::SeriesTransition change = schema::series_ended(locked->series);
    JobLogPage log(context.history);
    if (locked->turn && change.turn == schema::TurnOutcome::over) {
        log.add(
            locked->turn->job, schema::JobEvent::deleted, "its series was ended", {.time = now}
        );
    }
    write_change(transaction, context.schedule, std::move(*locked), change);
    log.write(transaction);
    return SeriesAnswer::done;
}

SeriesAnswer remove_ended(Transaction& transaction, std::string_view key) {
    const std::optional<Series> series = series_for_update(transaction, key);
    if (!series) {
        return SeriesAnswer::not_found;
    }
    if (series->state != SeriesState::ended) {
        return SeriesAnswer::not_ended;
    }
    const std::string sql = fmt::format(
        kDeleteSeries, fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_SERIES"))
    );
    transaction.execute(sql, {key});
    transaction.execute(kForgetPause, {key});
    return SeriesAnswer::done;
}

}  // namespace

SeriesAnswer SeriesStore::end_series(std::string_view key, schema::TimePoint now) {
    SeriesAnswer answer = SeriesAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) { answer = end(transaction, context_, key, now); },
        run_again  // An ended series ends once more.
    );
    return answer;
}

SeriesAnswer SeriesStore::remove_series(std::string_view key) {
    SeriesAnswer answer = SeriesAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) { answer = remove_ended(transaction, key); },
        [&](Transaction& transaction) {
            return answer == SeriesAnswer::done && !series_for_update(transaction, key);
        }
    );
    return answer;
}

}  // namespace jobstrand::persistence
