#pragma once

#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"
#include "schema/series.hpp"

#include <optional>
#include <string_view>

namespace jobstrand::persistence {

/// A series and the job that has its baton, both locked.
struct LockedSeries {
    schema::Series series;
    std::optional<schema::PlacedJob>
        turn;  ///< nullopt: it has ended, or somebody deleted the row by hand.

    [[nodiscard]] bool is_waiting() const {
        return series.state == schema::SeriesState::waiting && turn.has_value();
    }
};

/// First the job is locked, then the series, as all who move turns do. nullopt: no such series.
/// Throws DbError conflict when the baton was passed on in between.
[[nodiscard]] std::optional<LockedSeries>
lock_with_turn(Transaction& transaction, std::string_view key);

}  // namespace jobstrand::persistence
