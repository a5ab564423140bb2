#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/series/locked_series.hpp"
#include "persistence/series/series_operations.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesState;

constexpr std::string_view kDelete = R"sql({delete_where} ID_ = ?)sql";

constexpr std::string_view kForgetPause = R"sql(
    DELETE FROM JS_SUSPENSION
    WHERE SCOPE_ = 'series' AND ID_ = ?)sql";

SeriesAnswer end(Transaction& transaction, std::string_view key, schema::TimePoint now) {
    std::optional<LockedSeries> locked = lock_with_turn(transaction, key);
    if (!locked) {
        return SeriesAnswer::not_found;
    }
    if (locked->is_waiting()) {
        const PlacedJob& turn = *locked->turn;
        if (is_locked(turn.job, now)) {
            return SeriesAnswer::locked;
        }
        const std::string_view id = turn.job.id;
        const Job* const job = &turn.job;
        delete_rows(transaction, turn.place, std::span(&id, 1));
        delete_byte_arrays_of(transaction, std::span(&job, 1));
    }
    Series& series = locked->series;
    series.state = SeriesState::ended;
    series.next_fire.reset();
    series.turn_id.clear();
    update_series(transaction, std::span(&series, 1));
    return SeriesAnswer::done;
}

SeriesAnswer remove_ended(Transaction& transaction, std::string_view key) {
    const std::optional<Series> series = lock_series(transaction, key);
    if (!series) {
        return SeriesAnswer::not_found;
    }
    if (series->state != SeriesState::ended) {
        return SeriesAnswer::not_ended;
    }
    const std::string sql = fmt::format(
        kDelete, fmt::arg("delete_where", delete_where(transaction.dialect(), "JS_SERIES"))
    );
    transaction.execute(sql, {key});
    transaction.execute(kForgetPause, {key});
    return SeriesAnswer::done;
}

}  // namespace

SeriesAnswer end_series(const StoreContext& context, std::string_view key, schema::TimePoint now) {
    SeriesAnswer answer = SeriesAnswer::not_found;
    context.runner.run(
        [&](Transaction& transaction) { answer = end(transaction, key, now); },
        [](Transaction&) { return false; }  // An ended series ends once more.
    );
    return answer;
}

SeriesAnswer remove_series(const StoreContext& context, std::string_view key) {
    SeriesAnswer answer = SeriesAnswer::not_found;
    context.runner.run(
        [&](Transaction& transaction) { answer = remove_ended(transaction, key); },
        [&](Transaction& transaction) {
            return answer == SeriesAnswer::done && !lock_series(transaction, key);
        }
    );
    return answer;
}

}  // namespace jobstrand::persistence
