#pragma once

#include "executor/pool/held_jobs.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"
#include "schema/concurrency.hpp"
#include "schema/job.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::executor {

/// Lets the exclusive jobs of a group that this executor holds run one after the other: the next
/// one starts when the former is no longer held, which is after its outcome was written (I4). A
/// chain of short ones need not wait: one thread runs them, and their outcomes are written in their
/// order, so that none of them is done before those in front of it are. Those that wait here take
/// no place in the queue of the workers. It also knows which groups have ended, and how many
/// of their jobs were claimed, which the store compares (see persistence::GroupEnd).
///
/// A group of which a lock was lost is forgotten without a word: others may have it.
///
/// Thread safety: safe.
class GroupOrder final {
public:
    /// `lock_time` is that of the executor's locks: what was claimed longer ago without a sign of
    /// it is lost.
    GroupOrder(const schema::Clock& clock, schema::ExclusiveOver over, schema::Duration lock_time)
        : clock_(clock), over_(over), lock_time_(lock_time) {}

    /// Takes jobs that were just claimed. Returns those that may start now, in their order: all
    /// that have no group, and the first of each group of which none is held.
    [[nodiscard]] std::vector<HeldJobPtr> admit(std::vector<HeldJobPtr> jobs);

    /// These jobs, which are borrowed from HeldJob, are not held any more. Returns those that may
    /// start therefore.
    [[nodiscard]] std::vector<HeldJobPtr> ended(std::span<const schema::Job* const> jobs);

    /// Returns the job that waits behind `former`, which has just run: the caller runs it at once,
    /// and has its outcome written no earlier than that of `former`. nullptr: none waits, it is not
    /// `suited`, or the lock of `former` is lost.
    [[nodiscard]] HeldJobPtr
    next_in_chain(const HeldJobPtr& former, const std::function<bool(const schema::Job&)>& suited);

    /// Takes out the jobs that wait behind these.
    [[nodiscard]] std::vector<HeldJobPtr> take_behind(std::span<const HeldJobPtr> jobs);

    /// Takes out all that wait.
    [[nodiscard]] std::vector<HeldJobPtr> take_all();

    /// How many wait.
    [[nodiscard]] std::size_t waiting() const { return waiting_.load(std::memory_order_relaxed); }

    [[nodiscard]] bool has_ended_groups() const;

    /// Up to `limit` groups of which no job is held any more. Their counts go with them.
    [[nodiscard]] std::vector<persistence::GroupEnd> take_ended(std::size_t limit);

    /// Gives the counts back: these groups end again when the jobs that are under way have come and
    /// gone.
    void put_back(std::span<const persistence::GroupEnd> groups);

    /// Likewise, but they end again now if no job of them has come.
    void end_again(std::span<const persistence::GroupEnd> groups);

private:
    /// See persistence::GroupEnd.
    struct Claims {
        std::int64_t count = 0;
        schema::TimePoint began = schema::TimePoint::max();

        void add(std::int64_t more, schema::TimePoint began_at) {
            count += more;
            began = std::min(began, began_at);
        }
    };
    struct Group {
        HeldJobPtr first;               ///< Queued or running, or its outcome is being written.
        std::vector<HeldJobPtr> chain;  ///< Those before it whose outcomes are being written.
        std::deque<HeldJobPtr> waiting;
        Claims claims;
        bool is_any_lost = false;
        schema::SteadyPoint awaited_until = {};  ///< Without a first one: until when one may come.
    };
    using Groups = std::map<std::string, Group, std::less<>>;

    [[nodiscard]] bool is_lost(const HeldJob& job) const {
        return job.is_lost || job.lock_until.load() <= clock_.steady_now();
    }
    [[nodiscard]] static bool is_any_under_way(const Group& group) {
        return group.first != nullptr || !group.chain.empty();
    }
    [[nodiscard]] bool leave(const schema::Job& job, Group& group);
    [[nodiscard]] HeldJobPtr take_waiting(Group& group);

    [[nodiscard]] std::string_view group_of(const schema::Job& job) const {
        return schema::exclusive_group(job, over_);
    }
    [[nodiscard]] bool join(const HeldJobPtr& job, std::string_view group);
    [[nodiscard]] HeldJobPtr next_after(const schema::Job& job, Groups::iterator group);
    void end(Groups::iterator group);
    void move_waiting(Group& group, std::vector<HeldJobPtr>& to);

    // Constant after construction.
    const schema::Clock& clock_;
    const schema::ExclusiveOver over_;
    const schema::Duration lock_time_;

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::atomic<std::size_t> waiting_{0};  ///< In all groups. Written under the mutex only.
    Groups groups_;
    std::map<std::string, Claims, std::less<>> ended_;
};

}  // namespace jobstrand::executor
