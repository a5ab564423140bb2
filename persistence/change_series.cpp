#include "persistence/byte_arrays.hpp"
#include "persistence/db_error.hpp"
#include "persistence/dialect.hpp"
#include "persistence/job_address.hpp"
#include "persistence/job_table.hpp"
#include "persistence/move_jobs.hpp"
#include "persistence/series_table.hpp"
#include "persistence/sql_job_store.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::SeriesState;

constexpr std::string_view kTurnOf = R"sql(SELECT TURN_ID_ FROM JS_SERIES WHERE ID_ = ?)sql";

constexpr std::string_view kDelete = R"sql({delete_where} ID_ = ?)sql";

constexpr std::string_view kForgetPause = R"sql(
    DELETE FROM JS_SUSPENSION
    WHERE SCOPE_ = 'series' AND ID_ = ?)sql";

constexpr std::array kPlacesOfTurns{
    JobPlace::executable,
    JobPlace::timer,
    JobPlace::suspended,
    JobPlace::external_worker};

/// A series and the job that has its baton, both locked.
struct LockedSeries {
    Series series;
    std::optional<PlacedJob> turn;  ///< nullopt: it has ended, or somebody deleted the row by hand.

    [[nodiscard]] bool is_waiting() const {
        return series.state == SeriesState::waiting && turn.has_value();
    }
};

/// First the job, then the series, as all who move turns do. Throws DbError conflict when the baton
/// was passed on in between.
std::optional<LockedSeries> lock_with_turn(Transaction& transaction, std::string_view key) {
    std::string turn_id;
    transaction.query({.sql = kTurnOf, .columns = 1}, {key}, [&](const Row& row) {
        turn_id = row.text(0);
    });
    std::optional<PlacedJob> turn;
    for (const JobPlace place : kPlacesOfTurns) {
        auto row = turn || turn_id.empty() ? std::nullopt : lock_row(transaction, place, turn_id);
        if (row) {
            turn = PlacedJob{.place = place, .job = std::move(*row)};
        }
    }
    std::optional<Series> series = lock_series(transaction, key);
    if (!series) {
        return std::nullopt;
    }
    if (series->turn_id != turn_id) {
        throw DbError(
            DbErrorKind::conflict, fmt::format("a turn of the series {} was taken meanwhile", key)
        );
    }
    return LockedSeries{.series = std::move(*series), .turn = std::move(turn)};
}

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

Answer reschedule(
    Transaction& transaction,
    const schema::SeriesSchedule& schedule,
    const Series& times,
    schema::TimePoint now
) {
    std::optional<LockedSeries> locked = lock_with_turn(transaction, times.key);
    if (!locked || locked->series.state == SeriesState::ended || !locked->turn) {
        return Answer::not_found;
    }
    if (locked->is_waiting() && is_locked(locked->turn->job, now)) {
        return Answer::locked;
    }
    Series series = locked->series;
    take_texts(series, times);
    const auto begun = schedule.begin(series, read_calendars(transaction), std::nullopt, now);
    if (!begun) {
        throw std::invalid_argument(describe(begun.error(), series));
    }
    series = begun.value().series;
    require_storable(series, transaction.kind());
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
    return Answer::done;
}

Answer end(Transaction& transaction, std::string_view key, schema::TimePoint now) {
    std::optional<LockedSeries> locked = lock_with_turn(transaction, key);
    if (!locked) {
        return Answer::not_found;
    }
    if (locked->is_waiting()) {
        const PlacedJob& turn = *locked->turn;
        if (is_locked(turn.job, now)) {
            return Answer::locked;
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
    return Answer::done;
}

/// A job like the turn that can run now, and is not part of the succession.
Job extra_job(Job turn, const Series& series, std::string id, schema::TimePoint now) {
    turn.id = std::move(id);
    turn.correlation_id = turn.id;
    turn.revision = 1;
    turn.repeat.clear();
    turn.due_date.reset();
    turn.lock_owner.clear();
    turn.lock_expiration.reset();
    turn.suspended_from.clear();
    turn.exception_message.clear();
    turn.exception_stack_id.clear();
    turn.retries = series.retries;
    turn.attempts = 0;
    turn.create_time = now;
    return turn;
}

Answer remove_ended(Transaction& transaction, std::string_view key) {
    const std::optional<Series> series = lock_series(transaction, key);
    if (!series) {
        return Answer::not_found;
    }
    if (series->state != SeriesState::ended) {
        return Answer::locked;
    }
    const std::string sql = fmt::format(
        kDelete, fmt::arg("delete_where", delete_where(transaction.kind(), "JS_SERIES"))
    );
    transaction.execute(sql, {key});
    transaction.execute(kForgetPause, {key});
    return Answer::done;
}

/// The answer to an unanswered commit of what does no harm when it is done twice.
bool run_again(Transaction& /*transaction*/) {
    return false;
}

}  // namespace

Answer SqlJobStore::reschedule_series(const Series& times, schema::TimePoint now) {
    Answer answer = Answer::not_found;
    runner_.run(
        [&](Transaction& transaction) { answer = reschedule(transaction, schedule_, times, now); },
        run_again
    );
    return answer;
}

std::optional<std::string> SqlJobStore::fire_series(std::string_view key, schema::TimePoint now) {
    const std::string id = new_id();
    bool is_fired = false;
    const auto fire = [&](Transaction& transaction) {
        std::optional<LockedSeries> locked = lock_with_turn(transaction, key);
        is_fired = locked && locked->turn;
        if (!is_fired) {
            return;
        }
        Job job = extra_job(std::move(locked->turn->job), locked->series, id, now);
        load_payloads(transaction, std::span(&job, 1));
        store_payloads(transaction, std::span(&job, 1), [this] { return new_id(); });
        PlacedJob placed{.place = schema::place_of_new(job, now), .job = std::move(job)};
        divert_suspended(transaction, std::span(&placed, 1));
        const PlacedJob* const row = &placed;
        insert_placed(transaction, std::span(&row, 1));
    };
    runner_.run(fire, [&](Transaction& transaction) {
        const std::string_view job = id;
        return find_any(transaction, std::span(&job, 1)).has_value();
    });
    return is_fired ? std::optional(id) : std::nullopt;
}

Answer SqlJobStore::end_series(std::string_view key, schema::TimePoint now) {
    Answer answer = Answer::not_found;
    runner_.run([&](Transaction& transaction) { answer = end(transaction, key, now); }, run_again);
    return answer;
}

Answer SqlJobStore::remove_series(std::string_view key) {
    Answer answer = Answer::not_found;
    runner_.run(
        [&](Transaction& transaction) { answer = remove_ended(transaction, key); },
        [&](Transaction& transaction) {
            return answer == Answer::done && !lock_series(transaction, key);
        }
    );
    return answer;
}

}  // namespace jobstrand::persistence
