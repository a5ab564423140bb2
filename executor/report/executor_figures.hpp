#pragma once

#include "schema/histogram.hpp"
#include "schema/job_transition.hpp"
#include "schema/time.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <set>
#include <string>

namespace jobstrand::executor {

/// What the activities of an executor have done since it began, for whoever watches it.
struct ActivityCounts {
    std::uint64_t claims = 0;        ///< Transactions that looked for free jobs.
    std::uint64_t empty_claims = 0;  ///< Those that found none.
    std::uint64_t claimed = 0;       ///< Jobs that they locked.
    std::uint64_t locks_reset = 0;   ///< Expired locks that the reset freed.
    std::uint64_t dead_nodes = 0;    ///< Nodes of which this one ended the lease.
};

/// How long the transactions of an executor's activities took, and how many jobs they were about,
/// for whoever watches it. It belongs to the executor.
struct ActivityTimes {
    const schema::DurationHistogram& claims;       ///< Those that looked for free jobs.
    const schema::DurationHistogram& completions;  ///< Those that wrote what became of runs.
    const schema::SizeHistogram& claimed;          ///< Of claims that found some.
    const schema::SizeHistogram& completed;
};

/// How long the runs of this executor have waited and taken since it began, for whoever watches it.
///
/// Thread safety: safe.
struct RunTimes {
    /// The times from when a job could run (its due date, or its creation) until its handler was
    /// called.
    schema::DurationHistogram waited;
    /// The times from the call of the handler until it ended.
    schema::DurationHistogram ran;
};

/// What became of the runs of this executor since it began, for whoever watches it.
///
/// Thread safety: safe.
class OutcomeCounts final {
public:
    /// An outcome has been written.
    void add(schema::TransitionReason reason) {
        by_reason_.at(static_cast<std::size_t>(reason)).fetch_add(1, std::memory_order_relaxed);
    }

    /// A result was discarded, because the lock was lost.
    void add_lost() { lost_.fetch_add(1, std::memory_order_relaxed); }

    /// Returns the sum over these reasons.
    [[nodiscard]] std::uint64_t count(std::initializer_list<schema::TransitionReason> reasons
    ) const {
        std::uint64_t sum = 0;
        for (const schema::TransitionReason reason : reasons) {
            sum += by_reason_.at(static_cast<std::size_t>(reason)).load(std::memory_order_relaxed);
        }
        return sum;
    }

    [[nodiscard]] std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

private:
    static constexpr std::size_t kReasons =
        static_cast<std::size_t>(schema::TransitionReason::unreadable) + 1;

    std::array<std::atomic<std::uint64_t>, kReasons> by_reason_{};
    std::atomic<std::uint64_t> lost_{0};
};

/// What has become of jobs and the database does not take, as it is now.
struct RefusedNow {
    std::size_t outcomes = 0;
    std::set<std::string> types = {};  ///< Of handlers.
};

/// Notices that jobs are held and none of them runs, comes or goes: whatever has stopped this node,
/// its locks are renewed, and nobody else runs these jobs.
///
/// Thread safety: safe.
class Standstill final {
public:
    struct View {
        std::size_t held = 0;     ///< Jobs that should get on.
        std::size_t running = 0;  ///< Of them.
        std::uint64_t moves = 0;  ///< That have come and gone so far.
    };

    /// Returns how long the standstill has lasted, as far as it was observed; zero: there is none.
    [[nodiscard]] schema::Duration seen(const View& view, schema::SteadyPoint now) {
        const std::lock_guard lock(mutex_);
        if (view.held == 0 || view.running > 0 || view.moves != moves_) {
            moves_ = view.moves;
            since_ = now;
        }
        return std::chrono::floor<schema::Duration>(now - since_);
    }

private:
    std::mutex mutex_;
    std::uint64_t moves_ = 0;      ///< Guarded by mutex_.
    schema::SteadyPoint since_{};  ///< Likewise.
};

}  // namespace jobstrand::executor
