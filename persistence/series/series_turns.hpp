#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/series/series_table.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"
#include "schema/series.hpp"
#include "schema/series_schedule.hpp"

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Carries series on, in one transaction. Of all jobs of a live series exactly one has a REPEAT_,
/// the baton. It passes to the next turn when this one fires, or, without overlap, when it has
/// succeeded or become a dead letter: so no crash loses or doubles a turn, and no failure stops the
/// series (R110, R122-R125).
///
/// Every call decides about one job and says what becomes of its row; write() then stores the
/// series and their next turns. Jobs without a REPEAT_ cost nothing here: do not bring them.
///
/// A REPEAT_ without a series (an app or Flowable inserted the row) gets one here, with all
/// settings at their defaults. One that cannot be read is run once more, and said in the log.
class SeriesTurns final {
public:
    /// `jobs` are all that the calls below will be about; their rows are locked. `now` is the
    /// database's time.
    SeriesTurns(
        Transaction& transaction,
        const StoreContext& context,
        std::span<const schema::Job* const> jobs,
        schema::TimePoint now
    );

    /// What becomes of a timer whose date has come.
    enum class Fate {
        fires,  ///< It moves on to where it can run.
        waits,  ///< It stays, with a later due date.
        over,   ///< It is deleted: its series has ended without it.
    };

    /// `by_hand`: somebody wants it now, whatever its due date and misfire instruction are.
    [[nodiscard]] Fate fall_due(schema::Job& row, bool by_hand = false);

    /// The run of a turn has ended for good. The baton, if it had it, is taken from `row`.
    /// `payload`: what a successful one hands on, if the series wants it (R126).
    void run_ended(schema::Job& row, const std::optional<std::string>& payload = {});

    /// A turn became a dead letter: run_ended, and the series stops if that was asked for.
    void died(schema::Job& row);

    /// The row is being deleted by an operator: its series ends.
    void removed(const schema::Job& row);

    /// An operator gave the waiting turn another due date.
    void rescheduled(const schema::Job& row);

    /// The series of a job; null: it has none.
    [[nodiscard]] const schema::Series* series_of(const schema::Job& job) const;

    void write();

private:
    [[nodiscard]] schema::Series* find(const schema::Job& job);
    [[nodiscard]] schema::Series* adopt(const schema::Job& job);
    [[nodiscard]] bool has_baton(const schema::Job& job, const schema::Series& series) const;
    [[nodiscard]] schema::TurnPlan
    plan(const schema::Series& series, schema::TimePoint due, schema::TimePoint at);
    void insert_next(const schema::Job& turn, schema::Series& series);
    void log_unreadable(const schema::Series& series, const schema::ParseError& error);
    void store_series();
    void store_next_turns();

    Transaction& transaction_;
    const StoreContext& context_;
    const schema::TimePoint now_;
    SeriesByKey series_;
    schema::CalendarTexts calendars_;
    std::set<std::string, std::less<>> adopted_;
    std::set<std::string, std::less<>> changed_;
    std::set<std::string, std::less<>> stopped_;
    std::vector<schema::Job> next_turns_;
};

/// Gives jobs whose payload is too long for their row an id for it, and stores those payloads.
void store_payloads(Transaction& transaction, std::span<schema::Job> jobs, FreshIds& ids);

}  // namespace jobstrand::persistence
