#pragma once

#include "persistence/job_filter.hpp"
#include "persistence/operator_store.hpp"
#include "schema/batch.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

struct StoreContext;

/// A batch that is about to begin: what is done, and to which jobs. Precondition: no ids in the
/// filter.
struct NewBatch {
    schema::BatchOrder order = {};
    JobFilter filter = {};

    /// Jobs that are meant, where the caller has counted them: those of a cause. nullopt: the store
    /// counts.
    std::optional<std::int64_t> total = {};

    /// The job that carries it out, with the batch's id, in the same transaction. nullopt: whoever
    /// begins it does.
    std::optional<schema::Job> carrier = {};
};

/// How one page of a batch is carried out.
struct BatchStep {
    std::size_t jobs = 1000;  ///< At most so many; fewer where each has to be looked at.

    /// Tells, for a batch with a cause, whether a dead letter died of it. Called within the
    /// transaction.
    std::function<bool(const DeadLetterFailure&)> is_meant = {};

    /// Whether each row has to be read, so that nothing moves within the database alone.
    bool looks_at_all = false;

    /// The page is passed over, and its jobs count as refused: nothing else helps.
    bool passes_over = false;
};

/// Bulk operations that are written down. See schema/batch.hpp.
class BatchStore final {
public:
    explicit BatchStore(const StoreContext& context) : context_(context) {}

    /// Whether the filter can be written down; one with thousands of characters cannot.
    [[nodiscard]] static bool can_keep(const JobFilter& filter);

    /// Counts what is meant, and writes the batch down; it is `running`, and nothing is done yet.
    /// Precondition: can_keep(new_batch.filter).
    [[nodiscard]] schema::Batch create_batch(const NewBatch& new_batch, schema::TimePoint now);

    [[nodiscard]] std::optional<schema::Batch> find_batch(std::string_view id);

    /// The latest first, those that are older than `behind` (an id; empty: all).
    [[nodiscard]] std::vector<schema::Batch> batches(std::string_view behind, std::size_t limit);

    /// Carries out the next page of a running batch, and moves its cursor, in one transaction.
    /// Returns the batch behind it; its state says whether there is more. A batch that is not
    /// running is returned as it is; nullopt: there is none.
    ///
    /// Two that carry out one batch take turns; no page is done twice. Jobs that make no decision
    /// necessary move inside the database. Throws DbError: duplicate_key when a job's id is taken
    /// where it goes. Then nothing was done, and smaller steps find out which job it is.
    [[nodiscard]] std::optional<schema::Batch>
    step_batch(std::string_view id, const BatchStep& step, schema::TimePoint now);

    /// Pauses, resumes or cancels. Returns the batch as it is then, which stays as it is when it
    /// has ended; nullopt: there is none.
    [[nodiscard]] std::optional<schema::Batch>
    set_batch_state(std::string_view id, schema::BatchState state, schema::TimePoint now);

    /// Forgets a batch that has ended or is paused; false: there is none, or it is running.
    [[nodiscard]] bool remove_batch(std::string_view id);

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
