#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/rows/suspended_scopes.hpp"
#include "persistence/series/series_turns.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

using TransitionOf = std::function<schema::Transition(const schema::Job& row)>;

/// The way of jobs from one place to where they go, in one transaction. Every move takes it:
///
/// | step      | what                                                                            |
/// |-----------|---------------------------------------------------------------------------------|
/// | read      | the caller reads rows for update and says which transition each of them makes   |
/// | suspended | what is suspended waits in the suspended place, or stays there                  |
/// | series    | the turns among them carry their series on (see SeriesTurns)                    |
/// | duplicates     | a job whose id is taken becomes a dead letter, where the caller expects that
/// | | write     | series, then inserts before deletes, and byte arrays before the rows with them |
/// | tell      | the job log, and incidents of new and of former dead letters                    |
///
/// decide() changes rows in memory only, so that the caller may still see and change what leaves;
/// write() stores everything. For jobs without a series the third step asks and writes nothing.
class MovePipeline final {
public:
    /// `now` is the database's time; only turns of series need it.
    MovePipeline(
        Transaction& transaction,
        const StoreContext& context,
        schema::JobPlace from,
        schema::TimePoint now
    );

    /// A turn whose row the caller deletes by itself. Before decide().
    void add_deleted(schema::Job turn, schema::Transition transition);

    /// What is known of the runs that ended so, by the ids of their jobs, which must outlive it.
    void know_runs(std::map<std::string_view, MoveFacts> runs) { runs_ = std::move(runs); }

    /// The rows are as they were read: those that stay as they are may be copied. Before decide().
    void copy_unchanged() { copies_ = true; }

    /// Once. The rows stand in `from` and were read for update; each makes the transition with its
    /// index.
    void decide(std::vector<schema::Job> rows, std::vector<schema::Transition> transitions);
    void decide(std::vector<schema::Job> rows, const TransitionOf& transition_of);

    /// Those that go to another place, each as it will stand there, in the order of the rows. Their
    /// locks may still be set.
    [[nodiscard]] std::vector<schema::PlacedJob>& leaving() { return leaving_; }

    [[nodiscard]] std::vector<std::string> leaving_ids() const;

    /// How many rows write() changes: all but those that are left as they are.
    [[nodiscard]] std::size_t size() const;

    /// How many are deleted and go nowhere.
    [[nodiscard]] std::size_t deleted() const { return over_.size(); }

    /// Without `duplicates`, a job whose id is taken is DbError duplicate_key.
    void write(DuplicateIds* duplicates = nullptr);

private:
    /// Details of a failure, for the job with this index among those that leave.
    struct StackTrace {
        std::size_t job = 0;
        std::string text;
    };
    /// What is told of a job that goes elsewhere, beside where it stands then.
    struct Told {
        schema::TransitionReason reason;
        bool was_to_die = false;
        std::string node;  ///< Only where incidents are kept.
    };
    using Transitions = std::vector<std::optional<schema::Transition>>;

    void recall_series_of(std::vector<schema::Job>& rows);
    void series_for_update_of(std::span<const schema::Job> rows, const Transitions& transitions);
    void
    settle(schema::Job&& row, schema::Transition&& transition, const SuspendedScopes& suspended);
    void
    leave(schema::Job&& row, schema::Transition&& transition, const SuspendedScopes& suspended);
    [[nodiscard]] bool is_turn(const schema::Job& row, const schema::Transition& transition) const;
    void insert_stack_traces();
    void insert_outcomes();
    void delete_replaced_texts();
    void write_staying();
    void delete_over();
    void tell(const schema::Job& row, const schema::Transition& transition);
    void log_diverted_duplicates(const DuplicateIds& duplicates);
    void log_new_dead_letters();
    void resolve_incidents();

    Transaction& transaction_;
    const StoreContext& context_;
    const schema::JobPlace from_;
    const schema::TimePoint now_;
    SeriesTurns turns_;
    JobLogPage log_;
    std::map<std::string_view, MoveFacts> runs_;
    bool copies_ = false;
    std::vector<std::pair<schema::Job, schema::Transition>> deleted_turns_;
    std::vector<schema::PlacedJob> leaving_;
    std::vector<Told> told_;            ///< Of those that leave, in their order.
    std::vector<bool> are_copies_;      ///< Whether each of those is its row with another lock.
    std::vector<schema::Job> staying_;  ///< With a later due date.
    std::vector<schema::Job> over_;     ///< Deleted.
    std::vector<StackTrace> stack_traces_;
    std::vector<std::size_t> outcomes_;  ///< Of those that leave, which have a new payload.
    std::vector<std::string> replaced_texts_;
};

}  // namespace jobstrand::persistence
