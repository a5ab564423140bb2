#pragma once

#include "deadletter/bulk_change.hpp"
#include "deadletter/job_search.hpp"
#include "deadletter/job_selection.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "schema/clock.hpp"

#include <optional>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// Who cancels jobs, and why; either may be empty.
struct Cancellation {
    std::string by = {};
    std::string reason = {};
};

/// What an operator changes about jobs in any place. Bulk operations go the way that DeadLetters
/// describes: named jobs one by one, those that match a filter page by page, under a watch.
///
/// Throws DbError; what was done before stays done. Thread safety: safe. The stores and the clock
/// must outlive it. The clock shows the database's time.
class JobAdmin final {
public:
    JobAdmin(
        persistence::OperatorStore& store,
        persistence::SeriesStore& series_store,
        const schema::Clock& clock
    )
        : store_(store), series_store_(series_store), clock_(clock) {}

    /// Where a selection is looked for: in `place`; without one, ids anywhere, and what a filter
    /// matches among the executable jobs only.
    [[nodiscard]] static std::vector<schema::JobPlace>
    places_of(const JobSelection& selection, std::optional<schema::JobPlace> place);

    /// Deletes jobs for good, where places_of says. A job that carries a series on is refused; that
    /// series can be ended instead. Of those that match a filter, what was gone when its page came
    /// is skipped.
    BulkCounts remove(
        const JobSelection& selection,
        std::optional<schema::JobPlace> place,
        const BulkWatch& watch = {}
    );

    /// Takes jobs away from whoever runs them, or before anybody does: each becomes a dead letter
    /// that says `cancelled by BY: REASON`, and does not run until somebody requeues it. A handler
    /// that runs is told to stop within two seconds, and what it returns is discarded; so do not
    /// requeue the job before it has ended. Dead letters are not found. A turn that runs passes its
    /// series on; one that waits is refused, because `series pause` and `series end` say what is
    /// to become of its series.
    BulkCounts cancel(
        const std::vector<std::string>& ids,
        const Cancellation& cancellation,
        const BulkWatch& watch = {}
    );

    /// Changes jobs where places_of says, in one transaction each, or for each page: their fields,
    /// and when they are due. A due date moves a timer, and makes one of a job that could run; for
    /// dead letters and suspended jobs it is refused. So are the retries of a dead letter. Retries
    /// of 0 make a dead letter of a job; of a waiting one that carries a series on they are
    /// refused. Of those that match a filter, what was gone when its page came is skipped.
    BulkCounts change(
        const JobSelection& selection,
        std::optional<schema::JobPlace> place,
        const persistence::ManyChanges& changes,
        const BulkWatch& watch = {}
    );

    /// Changes one job, in whatever place it is. The result names the place, when refused, and the
    /// series that a timer carries on whose due date moves.
    [[nodiscard]] ItemResult change(const std::string& id, const persistence::ManyChanges& changes);

    /// Makes timers executable now, whatever their due date. If one carries a series on, that goes
    /// on with the turn after it, and is named in the result.
    BulkCounts fire(const std::vector<std::string>& ids, const BulkWatch& watch = {});

    /// Gives timers another due date. If one carries a series on, only this turn moves; the series
    /// is named in the result.
    BulkCounts reschedule(
        const std::vector<std::string>& ids,
        schema::TimePoint due_date,
        const BulkWatch& watch = {}
    );

    /// Suspends what the ids name, with all their jobs. The result says how many jobs moved. Only
    /// what belongs to a Flowable engine is refused.
    BulkCounts suspend(
        persistence::SuspensionScope scope,
        const std::vector<std::string>& ids,
        const BulkWatch& watch = {}
    );

    /// The inverse.
    BulkCounts activate(
        persistence::SuspensionScope scope,
        const std::vector<std::string>& ids,
        const BulkWatch& watch = {}
    );

    /// Suspends single jobs until they are activated, or what they belong to is. One that a node
    /// holds runs on, and waits suspended when it is to run again; the result says that it has not
    /// moved. A dead letter is skipped.
    BulkCounts suspend_jobs(const std::vector<std::string>& ids, const BulkWatch& watch = {});

    /// The inverse. A job that is not suspended, or for another reason too, is skipped.
    BulkCounts activate_jobs(const std::vector<std::string>& ids, const BulkWatch& watch = {});

private:
    [[nodiscard]] ItemResult suspend_one(const std::string& id);
    [[nodiscard]] ItemResult activate_one(const std::string& id);
    [[nodiscard]] bool carries_series_on(const schema::Job& job);
    [[nodiscard]] Refusal refusal_of(
        schema::JobPlace place,
        const schema::Job& job,
        const persistence::ManyChanges& changes
    );
    [[nodiscard]] std::optional<ItemResult> refused_change(
        schema::JobPlace place,
        const schema::Job& job,
        const persistence::ManyChanges& changes
    );
    [[nodiscard]] ItemResult change_one(
        const std::string& id,
        std::optional<schema::JobPlace> place,
        const persistence::ManyChanges& changes
    );
    [[nodiscard]] ItemResult
    remove_one(const std::string& id, std::optional<schema::JobPlace> place);
    [[nodiscard]] ItemResult cancel_one(const std::string& id, const std::string& message);

    template <typename Refused, typename Change>
    BulkCounts change_matching(
        schema::JobPlace place,
        const persistence::JobFilter& filter,
        const Refused& refused,
        const Change& change,
        const BulkWatch& watch
    );
    template <typename Change>
    BulkCounts change_scopes(
        persistence::SuspensionScope scope,
        const std::vector<std::string>& ids,
        const Change& change,
        const BulkWatch& watch
    );
    template <typename Change>
    BulkCounts change_timers(
        const std::vector<std::string>& ids,
        const Change& change,
        const BulkWatch& watch
    );

    persistence::OperatorStore& store_;
    persistence::SeriesStore& series_store_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
