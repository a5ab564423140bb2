#pragma once

#include "persistence/executor_store.hpp"
#include "schema/job.hpp"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

namespace jobstrand::executor {

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

}  // namespace jobstrand::executor
