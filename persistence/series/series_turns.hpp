#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/suspension.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"
#include "schema/series.hpp"
#include "schema/series_transition.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// The series of some turns, in one transaction: reads them for update, asks the schedule for
/// plans, and writes what schema/series_transition decides. What carries a series on passes
/// from a turn to the next in this transaction, so that no crash loses or doubles a turn.
///
/// A REPEAT_ without a series (an app or Flowable inserted the row) gets one here, with all
/// settings at their defaults. One that cannot be read is run once more, and said in the log; so is
/// the turn of a series whose row holds what it cannot mean, and that series has ended then.
class SeriesTurns final {
public:
    /// `now` is the database's time.
    SeriesTurns(Transaction& transaction, const StoreContext& context, schema::TimePoint now);

    /// Once: all that the calls below will be about. Their rows were read for update, or are
    /// deleted. Asks nothing for no turns.
    void lock(std::span<const schema::Job* const> turns);

    /// What the transition of a turn means for its series, and what becomes of its row. The row
    /// gets what changes: REPEAT_, series, and the later due date if it waits.
    [[nodiscard]] schema::TurnOutcome take(schema::Job& turn, const schema::Transition& transition);

    /// Somebody has changed a turn where it stands. A series whose row cannot be read stays as it
    /// is.
    void changed(const schema::Job& turn);

    /// Stores series and next turns.
    void write();

private:
    [[nodiscard]] SeriesRow* find(const schema::Job& turn, schema::TransitionReason reason);
    [[nodiscard]] SeriesRow* adopt(const schema::Job& turn);
    [[nodiscard]] std::optional<schema::ParseResult<schema::TurnPlan>>
    plan(const SeriesRow& row, const schema::Job& turn, schema::TransitionReason reason);
    void change(SeriesRow& row, schema::Series changed);
    void insert_next(schema::SeriesTransition& transition);
    void log(const schema::SeriesNote& note, const schema::Series& series, const schema::Job& turn);
    void store_series();
    void store_next_turns();

    Transaction& transaction_;
    const StoreContext& context_;
    const schema::TimePoint now_;
    SeriesByKey series_;
    schema::CalendarTexts calendars_;
    std::set<std::string, std::less<>> adopted_;
    std::set<std::string, std::less<>> changed_;
    std::set<std::string, std::less<>> written_whole_;  ///< Of those that are changed.
    std::set<std::string, std::less<>> paused_;
    std::vector<schema::Job> next_turns_;
};

// What OperatorStore::suspend and activate do for a series or a group of them: they move the turns
// that carry series on, found by their ids, so that no job table needs an index for it.

/// After the suspension was written. Returns how many turns moved.
std::int64_t suspend_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
);

/// After the suspension was lifted. A turn that another suspension holds as well stays.
std::int64_t activate_turns(
    const StoreContext& context,
    SuspensionScope scope,
    std::string_view id,
    schema::TimePoint now
);

}  // namespace jobstrand::persistence
