#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/batch_store.hpp"
#include "schema/batch.hpp"
#include "schema/clock.hpp"
#include "schema/paging.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::deadletter {

/// Carries a batch out, step by step, at its rate, around jobs that cannot be changed.
class BatchRun final {
public:
    /// The store and the clock must outlive it.
    BatchRun(
        persistence::BatchStore& store,
        const schema::Clock& clock,
        const schema::BatchOrder& order
    );

    /// The next page of `batch`; then waits until its jobs may have been done.
    [[nodiscard]] std::optional<schema::Batch>
    step(const schema::Batch& batch, const std::function<void(schema::Duration)>& wait);

private:
    [[nodiscard]] std::optional<schema::Batch> try_step(const schema::Batch& batch);
    [[nodiscard]] std::optional<schema::Batch> pass_over(const schema::Batch& batch);

    persistence::BatchStore& store_;
    const schema::Clock& clock_;
    const std::size_t full_;  ///< Jobs of a step.
    persistence::BatchStep step_;
};

/// Fewer jobs than that are changed at once; more are worth a batch.
inline constexpr std::int64_t kWorthABatch = 1'000;

/// How far a batch has come, as the watch of a bulk operation wants it.
[[nodiscard]] BulkCounts counts_of(const schema::Batch& batch);

/// Bulk operations that are written down. Whoever begins one carries it out as well; when he dies
/// or stops, anybody goes on where it ended, and no job is changed twice.
///
///     BatchAdmin batches(store, clock);
///     const schema::Batch begun = batches.begin({.order = {.retries = 3}});
///     const auto batch = batches.carry_out(begun.id);
///
/// Throws DbError; what was done before stays done and written down. Thread safety: safe. The store
/// and the clock must outlive it. The clock shows the database's time.
class BatchAdmin final {
public:
    BatchAdmin(persistence::BatchStore& store, const schema::Clock& clock)
        : store_(store), clock_(clock) {}

    /// Writes it down, to be carried out.
    [[nodiscard]] schema::Batch begin(const persistence::NewBatch& batch);

    /// Waits for so long; tests turn their clock instead.
    using Wait = std::function<void(schema::Duration)>;

    /// Goes on with a running batch until it ends, or somebody pauses or cancels it, or the watch
    /// stops it between two pages: then it stays as it is, to be gone on with. `wait` is asked only
    /// for a batch with a rate. Returns it as it is then; nullopt: there is none.
    ///
    /// A job that cannot go where it should, because another job has its id there, counts as
    /// refused.
    [[nodiscard]] std::optional<schema::Batch>
    carry_out(std::string_view id, const BulkWatch& watch = {}, const Wait& wait = {});

    [[nodiscard]] std::optional<schema::Batch> find(std::string_view id) {
        return store_.find_batch(id);
    }

    /// The latest first; behind a batch, or from the latest one on.
    [[nodiscard]] schema::Page<schema::Batch> list(std::string_view behind, std::size_t limit);

    /// Whoever carries it out stops behind the page that he has in hand. Returns it as it is then;
    /// one that has ended stays so. nullopt: there is none.
    [[nodiscard]] std::optional<schema::Batch> pause(std::string_view id);
    [[nodiscard]] std::optional<schema::Batch> cancel(std::string_view id);

    /// Makes it running again; carry_out() goes on with it.
    [[nodiscard]] std::optional<schema::Batch> resume(std::string_view id);

    /// Forgets a batch that is not running; false: there is none, or it is running.
    [[nodiscard]] bool remove(std::string_view id) { return store_.remove_batch(id); }

private:
    persistence::BatchStore& store_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
