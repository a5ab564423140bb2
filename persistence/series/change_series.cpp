#include "persistence/series/change_series.hpp"

#include "persistence/enqueuer_store.hpp"
#include "persistence/history/history_book.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/series_transition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesState;
using schema::TurnOutcome;

namespace {

constexpr std::string_view kTurnOf = R"sql(SELECT TURN_ID_ FROM JS_SERIES WHERE ID_ = ?)sql";

/// All but the dead letters: a turn that died carries no series on.
bool can_hold_turns(JobPlace place) {
    return schema::can_be_suspended(place) || place == JobPlace::suspended;
}

std::optional<PlacedJob> turn_for_update(Transaction& transaction, std::string_view id) {
    for (const JobPlace place : schema::kJobPlaces) {
        if (!can_hold_turns(place) || id.empty()) {
            continue;
        }
        if (auto row = row_for_update(transaction, place, id)) {
            return PlacedJob{.place = place, .job = std::move(*row)};
        }
    }
    return std::nullopt;
}

}  // namespace

bool SeriesAndTurn::is_taken(schema::TimePoint now) const {
    return is_waiting() && is_locked(turn->job, now);
}

std::optional<SeriesAndTurn> with_turn_for_update(Transaction& transaction, std::string_view key) {
    const std::string turn_id = one_text(transaction, kTurnOf, {key});
    std::optional<PlacedJob> turn = turn_for_update(transaction, turn_id);
    std::optional<Series> series = series_for_update(transaction, key);
    if (!series) {
        return std::nullopt;
    }
    if (series->turn_id != turn_id) {
        throw DbError(
            DbErrorKind::conflict, fmt::format("a turn of the series {} was taken meanwhile", key)
        );
    }
    return SeriesAndTurn{.series = std::move(*series), .turn = std::move(turn)};
}

void write_change(
    Transaction& transaction,
    const schema::SeriesSchedule& schedule,
    SeriesAndTurn current,
    const schema::SeriesTransition& change
) {
    const Series& series = change.series.value();
    if (current.turn && change.turn == TurnOutcome::waits) {
        Job& turn = current.turn->job;
        turn.due_date = series.next_fire;
        turn.repeat = schedule.repeat_of(series);
        ++turn.revision;
        update_row(transaction, current.turn->place, turn);
    }
    if (current.turn && change.turn == TurnOutcome::over) {
        const Job* const turn = &current.turn->job;
        const std::string_view id = turn->id;
        delete_rows(transaction, current.turn->place, std::span(&id, 1));
        delete_byte_arrays_of(transaction, std::span(&turn, 1));
        free_keys_of(transaction, std::span(&turn, 1));
    }
    update_series(transaction, std::span(&series, 1));
}

namespace {

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
    const std::string sql = delete_from(transaction.dialect(), "JS_SERIES", kDeleteSeries);
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

namespace {

constexpr std::string_view kWithoutTurn = R"sql(
    SELECT S.ID_
    FROM JS_SERIES S
    WHERE S.STATE_ <> 'ended' {and_near}{nowhere}
    ORDER BY S.ID_
    LIMIT ?)sql";

constexpr std::string_view kNotIn = R"sql(
        AND (SELECT 1 FROM {table} J WHERE J.ID_ = S.TURN_ID_) IS NULL)sql";

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
    return context_.runner.read([&](Connection& connection) {
        return all_texts(connection, sql, parameters);
    });
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
