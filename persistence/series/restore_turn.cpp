#include "persistence/history/job_log_page.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_address.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_and_turn.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/series/series_change.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesState;

constexpr std::string_view kWithoutTurn = R"sql(
    SELECT S.ID_
    FROM JS_SERIES S
    WHERE S.STATE_ <> 'ended' {and_near}{nowhere}
    ORDER BY S.ID_
    LIMIT ?)sql";

constexpr std::string_view kNotIn = R"sql(
        AND NOT EXISTS (SELECT 1 FROM {table} J WHERE J.ID_ = S.TURN_ID_))sql";

// There is no index: this is for what somebody did by hand.
constexpr std::string_view kLastOf = R"sql(
    SELECT MAX(ID_)
    FROM {table}
    WHERE SERIES_ = ?)sql";

/// The job of the series that was made last.
std::optional<Job> last_job_of(Transaction& transaction, const Series& series) {
    std::string last;
    JobPlace place = JobPlace::executable;
    for (const JobPlace one : schema::kJobPlaces) {
        const std::string sql = fmt::format(kLastOf, fmt::arg("table", schema::table_of(one)));
        transaction.query({.sql = sql, .columns = 1}, {series.key}, [&](const Row& row) {
            if (!row.is_null(0) && row.text(0) > last) {
                last = row.text(0);
                place = one;
            }
        });
    }
    return last.empty() ? std::nullopt : row_for_update(transaction, place, last);
}

/// nullopt: there is nothing to restore.
std::optional<Series> series_to_restore(Transaction& transaction, std::string_view key) {
    std::optional<SeriesAndTurn> locked = with_turn_for_update(transaction, key);
    if (!locked || locked->turn || locked->series.state == SeriesState::ended) {
        return std::nullopt;
    }
    // Who moved the turn from place to place while they were looked through has committed by now.
    const std::string_view turn = locked->series.turn_id;
    if (find_any(transaction, std::span(&turn, 1))) {
        throw DbError(
            DbErrorKind::conflict, fmt::format("the turn of the series {} moved meanwhile", key)
        );
    }
    return std::move(locked->series);
}

void insert_turn(
    Transaction& transaction,
    const StoreContext& context,
    Series series,
    const std::string& id,
    schema::TimePoint now
) {
    const std::optional<Job> like = last_job_of(transaction, series);
    Job turn =
        schema::extra_job(like.value_or(Job{.handler_type = series.handler_type}), series, id, now);
    turn = schema::first_turn_of(series, std::move(turn));
    if (!like) {
        give_back_to_turn(series, turn);
    }
    turn.unique_key.clear();
    turn.repeat = context.schedule.repeat_of(series);
    load_payloads(transaction, std::span(&turn, 1));
    store_payloads(transaction, std::span(&turn, 1), context.ids);
    series.state = SeriesState::waiting;
    series.turn_id = id;
    PlacedJob placed{.place = JobPlace::timer, .job = std::move(turn)};
    divert_suspended(transaction, std::span(&placed, 1));
    const PlacedJob* const row = &placed;
    insert_placed(transaction, std::span(&row, 1));
    update_series(transaction, std::span(&series, 1));
    JobLogPage log(context.history);
    log.add_created(placed.job, context.clock.now());
    log.write(transaction);
    context.log.write(
        schema::LogLevel::warn,
        like ? "a series had lost its turn; the new one is like its last job"
             : "a series had lost its turn, and its payload with it; the new one has none",
        {{"series", series.key}, {"job", id}, {"like", like ? like->id : std::string()}}
    );
}

}  // namespace

std::vector<std::string>
SeriesStore::series_without_turn(std::string_view up_to, std::size_t limit) {
    std::string nowhere;
    for (const JobPlace place : schema::kJobPlaces) {
        nowhere += fmt::format(kNotIn, fmt::arg("table", schema::table_of(place)));
    }
    const std::string sql = fmt::format(
        kWithoutTurn,
        fmt::arg("and_near", up_to.empty() ? "" : "AND S.ID_ <= ?"),
        fmt::arg("nowhere", nowhere)
    );
    std::vector<Value> parameters;
    if (!up_to.empty()) {
        parameters.emplace_back(up_to);
    }
    parameters.emplace_back(static_cast<std::int64_t>(limit));
    std::vector<std::string> keys;
    context_.runner.read([&](Connection& connection) {
        keys.clear();
        connection.query({.sql = sql, .columns = 1}, parameters, [&](const Row& row) {
            keys.emplace_back(row.text(0));
        });
    });
    return keys;
}

std::optional<std::string> SeriesStore::restore_turn(std::string_view key, schema::TimePoint now) {
    const std::string id = context_.ids.next();
    bool is_restored = false;
    const auto restore = [&](Transaction& transaction) {
        std::optional<Series> series = series_to_restore(transaction, key);
        is_restored = series.has_value();
        if (is_restored) {
            series->next_fire = series->next_fire.value_or(now);
            insert_turn(transaction, context_, *std::move(series), id, now);
        }
    };
    context_.runner.run(restore, [&](Transaction& transaction) {
        const std::string_view job = id;
        return find_any(transaction, std::span(&job, 1)).has_value();
    });
    return is_restored ? std::optional(id) : std::nullopt;
}

}  // namespace jobstrand::persistence
