#include "persistence/series/locked_series.hpp"

#include "persistence/rows/job_table.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::JobPlace;
using schema::PlacedJob;
using schema::Series;

constexpr std::string_view kTurnOf = R"sql(SELECT TURN_ID_ FROM JS_SERIES WHERE ID_ = ?)sql";

constexpr std::array kPlacesOfTurns{
    JobPlace::executable,
    JobPlace::timer,
    JobPlace::suspended,
    JobPlace::external_worker};

}  // namespace

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

}  // namespace jobstrand::persistence
