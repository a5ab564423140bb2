#pragma once

#include "executor/executor_settings.hpp"
#include "executor/loop/activity.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/pool/group_order.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace jobstrand::executor {

/// Passes groups of exclusive jobs on of which this executor holds none any more: takes those that
/// wait for it, or frees the group. When it has no room it frees what waits too, for nodes with
/// idle workers. It sleeps until a group has ended.
///
/// Thread safety: none; it belongs to the loop's strand, or to who has stopped it.
class GroupPassing final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        GroupOrder& order;
        JobIntake& intake;
        const schema::Clock& clock;
    };

    GroupPassing(const Dependencies& use, const ExecutorSettings& settings)
        : use_(use), page_bytes_(settings.acquire_page_bytes) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "exclusive groups"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    const Dependencies use_;
    const std::size_t page_bytes_;
};

/// The jobs that meet a limit and are held here. At most as many as there are workers wait for one
/// or have it, so that none takes a place of its limit and then waits long behind others.
///
/// Thread safety: safe.
class LimitedRuns final {
public:
    /// The store must outlive it.
    LimitedRuns(std::size_t workers, persistence::ExecutorStore& store)
        : workers_(workers), store_(store) {}

    /// Whether a job belongs to them.
    [[nodiscard]] bool meets_limit(const schema::Job& job) const { return store_.meets_limit(job); }

    /// These are held from now on.
    void add(const std::vector<schema::Job>& jobs);

    /// The run of this one goes on without a worker. Returns whether there is more room therefore.
    bool left_worker(const schema::Job& job);

    /// These are not held any more. Returns whether any of them met a limit when it came.
    bool ended(std::span<const schema::Job* const> jobs);

    /// How many more may come.
    [[nodiscard]] std::size_t room() const;

private:
    // Constant after construction.
    const std::size_t workers_;
    persistence::ExecutorStore& store_;

    std::atomic<bool> are_any_{false};  ///< So that without limits nobody waits for the mutex.

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::unordered_set<std::string> ids_;
    std::unordered_set<std::string> without_worker_;
};

/// Takes jobs that wait for limits when there is room for them: as soon as one of this node's has
/// ended, when a rate lets more start, and from time to time for what others have ended. It also
/// reads the limits anew, every `refresh_interval`.
///
/// Thread safety: run_once() belongs to the loop's strand.
class LimitPassing final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        JobIntake& intake;
        const schema::Clock& clock;
        const LastView* view = nullptr;
    };

    LimitPassing(const Dependencies& use, schema::Duration refresh_interval)
        : use_(use), refresh_interval_(refresh_interval) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "limits"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// Reads the limits. Throws DbError.
    void refresh();

private:
    [[nodiscard]] schema::Duration until_there_may_be_any() const;

    // Constant after construction.
    const Dependencies use_;
    const schema::Duration refresh_interval_;

    // Touched by refresh() before the first pass, and by passes.
    bool are_any_ = false;
    schema::SteadyPoint refresh_at_ = schema::SteadyPoint::min();
    std::string behind_;  ///< The group that the last look ended with.
    /// Until a rate lets more start, or others may have made room, as far as this round through the
    /// groups has seen.
    schema::Duration until_next_{0};
};

}  // namespace jobstrand::executor
