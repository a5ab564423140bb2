#pragma once

#include "deadletter/bulk_change.hpp"
#include "deadletter/failure_cause.hpp"
#include "deadletter/job_search.hpp"
#include "deadletter/job_selection.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/paging.hpp"
#include "schema/time.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::deadletter {

/// How long a probe waits for the end of its job.
struct ProbePatience {
    schema::Duration most{std::chrono::minutes(5)};
    schema::Duration between{std::chrono::milliseconds(500)};  ///< Two looks at it.

    /// Waits for so long; tests turn their clock instead.
    std::function<void(schema::Duration)> wait = {};
};

/// What one dead letter that was requeued came to.
enum class ProbeEnd {
    nothing_to_try,  ///< No dead letter was meant.
    not_requeued,    ///< It could not be: `item` says why.
    succeeded,       ///< Its row is gone.
    failed,          ///< It is a dead letter again, or waits for another attempt.
    suspended,       ///< It does not run.
    not_ended,       ///< Patience was over; it stands where it can run.
};

struct ProbeResult {
    ProbeEnd end = ProbeEnd::nothing_to_try;
    std::string id = {};
    std::string message = {};  ///< Of its failure.
    std::optional<schema::JobPlace> place = {};
    ItemResult item = {};
};

/// How dead letters come back to life.
struct Revival {
    int retries = 3;                                 ///< New attempts, at least 1.
    std::optional<schema::TimePoint> due_date = {};  ///< Later than now: they wait as timers.

    /// Spreads their due dates evenly over this time from the due date on, or from now, so that
    /// what failed together does not come back together. Those that were named, in that order.
    schema::Duration spread{0};

    std::optional<BulkPace> pace = {};  ///< How fast they are requeued; nullopt: as fast as can be.
};

/// What an operator does with dead letters: the CLI, the HTTP API and C++ apps all call this.
///
///     DeadLetters dead(store, clock);
///     const BulkCounts counts =
///         dead.requeue(JobSelection::these({"order-17"}), {.retries = 5});
///
/// Jobs that were named are changed one by one, each in a transaction of its own. All that match a
/// filter are changed page by page in id order, each page in one transaction, so that an operation
/// which was interrupted can simply be started again. The watch looks on, and may stop it between
/// two transactions.
///
/// Throws DbError; what was done before stays done. Thread safety: safe. The store and the clock
/// must outlive it. The clock shows the database's time.
class DeadLetters final {
public:
    DeadLetters(persistence::OperatorStore& store, const schema::Clock& clock);

    /// Finds one dead letter with its message and its stack trace or output. Returns nullopt if
    /// there is no such job, or it is no dead letter.
    [[nodiscard]] std::optional<JobDetails> find(std::string_view id) const;

    /// Lists dead letters in id order, behind the id `after` (empty: from the start), for as long
    /// as kPatience lasts. Long payloads are left out.
    [[nodiscard]] JobPage
    list(const persistence::JobFilter& filter, std::string_view after, std::size_t limit) const;

    /// The latest first, behind the dead letter `after` (empty: from the start). Those that do not
    /// say when they became dead letters come last. nullopt: `after` is none, so that nobody knows
    /// where to go on.
    [[nodiscard]] std::optional<schema::Page<schema::PlacedJob>>
    newest(const persistence::JobFilter& filter, std::string_view after, std::size_t limit) const;

    [[nodiscard]] std::int64_t count(const DeadSelection& selection) const;

    /// What a filter matches, by handler type, the most frequent first.
    [[nodiscard]] std::vector<persistence::TypeCount> count_types(
        const persistence::JobFilter& filter
    ) const;

    /// What a filter matches, by what they died of. Reads all of it, page by page; the watch is
    /// told how many were read.
    [[nodiscard]] CauseSummary
    causes(const persistence::JobFilter& filter, const BulkWatch& watch = {}) const;

    /// A dry run of requeue() and remove(): how many it would be, and the first `most` of them.
    [[nodiscard]] Preview preview(const DeadSelection& selection, std::size_t most) const;

    /// Gives dead letters new attempts: they become executable, or wait for the due date, or for an
    /// external worker. A job that stands elsewhere is skipped, so a call can be repeated: what was
    /// named and is requeued already, or what was gone when its page came.
    BulkCounts
    requeue(const DeadSelection& selection, const Revival& revival, const BulkWatch& watch = {});

    /// Requeues the first of a selection, due at once and for one attempt, and waits for its end:
    /// before all are requeued, one shows whether the cause is mended.
    [[nodiscard]] ProbeResult probe(const DeadSelection& selection, const ProbePatience& patience);

    /// Passes all that is stored of each dead letter to `use`, in id order, or in the order of the
    /// given ids. Skips what is gone by then.
    BulkCounts copy(
        const DeadSelection& selection,
        const std::function<void(const persistence::JobCopy&)>& use,
        const BulkWatch& watch = {}
    ) const;

    /// Brings a page of copies back, in one transaction; see OperatorStore::restore.
    [[nodiscard]] std::vector<bool> restore(std::span<const persistence::JobCopy> copies) {
        return store_.restore(schema::JobPlace::dead_letter, copies);
    }

    /// Deletes dead letters for good. What was named and stands elsewhere is not found; of those
    /// that match a filter, what was gone when its page came is skipped.
    BulkCounts remove(const DeadSelection& selection, const BulkWatch& watch = {});

private:
    using ReadIds =
        std::function<std::vector<std::string>(const std::string& after, std::size_t limit)>;

    /// What it returns borrows the selection.
    [[nodiscard]] ReadIds reader_of(const DeadSelection& selection) const;
    [[nodiscard]] std::vector<std::string>
    first_ids(const DeadSelection& selection, std::size_t most) const;
    [[nodiscard]] std::vector<std::string> ids_of_cause(
        const CauseSelection& selection,
        const std::string& after,
        std::size_t limit
    ) const;
    [[nodiscard]] ProbeResult wait_for_end(const std::string& id, const ProbePatience& patience);
    [[nodiscard]] ItemResult
    requeue_one(const std::string& id, int retries, const persistence::DueDates& due_dates);

    persistence::OperatorStore& store_;
    const schema::Clock& clock_;
    const JobSearch search_;
};

}  // namespace jobstrand::deadletter
