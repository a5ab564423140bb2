#include "persistence/series/series_and_turn.hpp"

#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;
using schema::TurnOutcome;

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
    std::string turn_id;
    transaction.query({.sql = kTurnOf, .columns = 1}, {key}, [&](const Row& row) {
        turn_id = row.text(0);
    });
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

}  // namespace jobstrand::persistence
