#pragma once

#include "persistence/claim_request.hpp"
#include "persistence/node_store.hpp"
#include "persistence/outcome.hpp"
#include "schema/clock.hpp"
#include "schema/concurrency.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace jobstrand::executor {

/// A job that this executor has locked: queued, running, or waiting for its outcome to be written.
struct HeldJob {
    // Takes the job by reference, because moving one means moving two dozen strings.
    HeldJob(schema::Job&& locked_job, schema::SteadyPoint until, std::string its_group = {})
        : job(std::move(locked_job)), group(std::move(its_group)), lock_until(until) {}

    // Constant after construction.
    const schema::Job job;
    const std::string group;  ///< See persistence::Fence.

    /// See JobContext; constant from when it is_running.
    std::string trace_parent = {};

    // Thread-safe.
    /// Requested when the lock is lost, the job is taken away, or the executor stops at once.
    std::stop_source stop;
    /// When the lock ends by this machine's steady clock, a little early.
    std::atomic<schema::SteadyPoint> lock_until;
    /// An operator has taken the job away. Its group is held on until the run has ended.
    std::atomic<bool> is_taken{false};
    /// The lock is gone.
    std::atomic<bool> is_lost{false};
    /// Whether another party has written the outcome of its run; the handler's result is ignored
    /// then.
    std::atomic<bool> is_written{false};
    std::atomic<schema::TransitionReason> written_reason{schema::TransitionReason::completed};
    /// When its handler was called; of meaning while it is_running.
    std::atomic<schema::SteadyPoint> began{schema::SteadyPoint::min()};
    /// Its handler has been called and has not returned yet.
    std::atomic<bool> is_running{false};
    /// See ThroughputCounts. Whoever sets it counts the begin.
    std::atomic<bool> is_begin_counted{false};
    /// Whether it has reported progress: see RunNewsBook.
    std::atomic<bool> has_told{false};
};

/// Shared by the queue, the worker and the lock renewal, which end in no fixed order.
using HeldJobPtr = std::shared_ptr<HeldJob>;

/// Returns their fences in the same order.
[[nodiscard]] std::vector<persistence::Fence> fences_of(const std::vector<HeldJobPtr>& jobs);

/// All jobs whose locks this executor holds, for renewal and for the stop signal. What their
/// payloads take in memory has a bound (I8).
///
/// Thread safety: safe.
class HeldJobs final {
public:
    explicit HeldJobs(
        std::size_t most_bytes = std::numeric_limits<std::size_t>::max(),
        schema::ExclusiveOver over = schema::ExclusiveOver::instance
    )
        : most_bytes_(most_bytes), over_(over) {}

    using Gone = std::function<void(std::span<const schema::Job* const>)>;

    /// Sets the callback for jobs that are not held any more, which runs on the thread that frees
    /// them. Call before the first job.
    void when_gone(Gone tell) { when_gone_ = std::move(tell); }

    /// See exclusive_group(). Borrowed from the job.
    [[nodiscard]] std::string_view group_of(const schema::Job& job) const {
        return schema::exclusive_group(job, over_);
    }

    /// Registers jobs that were just locked until `until`.
    [[nodiscard]] std::vector<HeldJobPtr>
    add(std::vector<schema::Job> jobs, schema::SteadyPoint until);

    /// Forgets a job: it was released, or its lock is lost. A later acquisition of the same job
    /// stays; it has another revision.
    void remove(const schema::Job& job);

    /// Forgets jobs whose outcomes are written, likewise.
    void remove_all_of(std::span<const persistence::Outcome> outcomes);

    /// Waits until the job is forgotten, or `limit` is over.
    void wait_until_gone(const schema::Job& job, schema::Duration limit);

    [[nodiscard]] std::size_t size() const;

    /// How many have come and gone so far: the same number again means that nothing has moved.
    [[nodiscard]] std::uint64_t moves() const { return moves_; }

    /// Bytes of payloads that may still be added. 0: none, and is_room_awaited() tells when there
    /// is room again.
    [[nodiscard]] std::size_t bytes_left();

    /// Whether somebody was told that there is no room for bytes, and now there is. Asked once.
    [[nodiscard]] bool is_room_awaited();

    /// Returns the jobs whose handlers have been called and have not returned.
    [[nodiscard]] std::vector<HeldJobPtr> running() const;

    /// The fences of the jobs whose lock ends before `deadline`, or that of their group.
    [[nodiscard]] std::vector<persistence::Fence> expiring_before(schema::SteadyPoint deadline
    ) const;

    /// The jobs whose lock has ended by this machine's clock: somebody else may have them.
    [[nodiscard]] std::vector<std::string> expired(schema::SteadyPoint now) const;

    /// The locks of these jobs now end at `until`, or later if they did before.
    void extended(std::span<const persistence::Fence> fences, schema::SteadyPoint until);

    /// The locks are gone: each handler is told to stop, and what it returns will be discarded.
    void lost(std::span<const std::string> ids);

    /// The jobs among these that still run: their handlers are told to stop, and what they return
    /// will be discarded. Their groups stay held.
    std::vector<std::string> taken_away(const std::vector<std::string>& ids);

    /// Call when another party has written the outcome of a run. Takes the job away and returns it;
    /// nullptr: it does not run here.
    HeldJobPtr written(const persistence::Outcome& outcome);

    /// Returns those of the ids that were not taken away.
    [[nodiscard]] std::vector<std::string> without_taken(std::vector<std::string> ids) const;

    /// Tells every running handler to stop.
    void request_stop_of_all();

private:
    void forget(const schema::Job& job);
    void tell_gone(std::span<const schema::Job* const> jobs) const;
    [[nodiscard]] bool is_held(const schema::Job& job) const;

    [[nodiscard]] std::size_t left() const { return most_bytes_ - std::min(most_bytes_, bytes_); }

    const std::size_t most_bytes_;
    const schema::ExclusiveOver over_;
    Gone when_gone_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::condition_variable gone_;
    int waiting_ = 0;  ///< Threads that wait for gone_.
    std::atomic<std::uint64_t> moves_{0};
    /// By id, which is borrowed from the job itself.
    std::unordered_map<std::string_view, HeldJobPtr> jobs_;
    std::size_t bytes_ = 0;  ///< Of their payloads.
    bool awaits_bytes_ = false;
};

/// Returns the jobs that have been running for `least` or longer, by id; if there are too many, the
/// longest. Shorter runs would have ended before anybody reads of them.
[[nodiscard]] std::vector<persistence::LongRun>
long_runs(std::vector<HeldJobPtr> running, schema::Duration least, const schema::Clock& clock);

}  // namespace jobstrand::executor
