#pragma once

#include "persistence/outcome.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_turns.hpp"
#include "persistence/sql/transaction.hpp"

#include <optional>
#include <span>

namespace jobstrand::persistence {

/// Whether the job leaves the executable place as a dead letter.
[[nodiscard]] bool is_dead(const Outcome& outcome);

/// What a batch of outcomes means for series: those of turns that ended for good go on. It looks
/// only at jobs that are part of one; for all others nothing is asked.
class EndedTurns final {
public:
    /// The rows of all outcomes are locked, or deleted, by this transaction.
    EndedTurns(
        Transaction& transaction,
        const StoreContext& context,
        std::span<const Outcome* const> outcomes
    );

    void completed(const Outcome& outcome);

    /// Takes the baton from a row that becomes a dead letter.
    void died(schema::Job& row);

    /// Stores the series and their next turns.
    void write();

private:
    std::optional<SeriesTurns> turns_;
};

}  // namespace jobstrand::persistence
