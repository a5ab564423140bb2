#include "persistence/history/job_log_page.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_and_turn.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/series/series_change.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Series;
using schema::SeriesState;

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
    if (locked->turn && change.turn == schema::TurnFate::over) {
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
