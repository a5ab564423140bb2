#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/series.hpp"
#include "schema/series_transition.hpp"

#include <optional>
#include <string_view>

namespace jobstrand::persistence {

/// A series and the job that carries it on, both read for update.
struct SeriesAndTurn {
    schema::Series series;
    /// nullopt: it has ended, or somebody deleted the row by hand.
    std::optional<schema::PlacedJob> turn;

    [[nodiscard]] bool is_waiting() const {
        return series.state == schema::SeriesState::waiting && turn.has_value();
    }

    /// Whether a node is moving the waiting turn right now.
    [[nodiscard]] bool is_taken(schema::TimePoint now) const;
};

/// First the job is read, then the series, as all who move turns do. nullopt: no such series.
/// Throws DbError conflict when another turn carries it on by then.
[[nodiscard]] std::optional<SeriesAndTurn>
with_turn_for_update(Transaction& transaction, std::string_view key);

/// Writes what schema/series_transition decided about it.
void write_change(
    Transaction& transaction,
    const schema::SeriesSchedule& schedule,
    SeriesAndTurn current,
    const schema::SeriesTransition& change
);

}  // namespace jobstrand::persistence
