#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/clock_comparison.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// A name for LOCK_OWNER_ that tells this host and process (schema/acquisition.hpp), and that no
/// executor has had before.
[[nodiscard]] std::string fresh_lock_owner();

/// Returns who an executor of this process with this lock owner is, and how it locks.
[[nodiscard]] persistence::NodeIdentity identity_of(
    const std::string& lock_owner,
    schema::LockGranularity locks = schema::LockGranularity::row
);

/// Whether this node may take and start jobs: while its lease holds, because nobody else takes away
/// its locks then. By this machine's steady clock, a little early. It begins without a lease.
///
/// Thread safety: safe.
class NodeLease final {
public:
    [[nodiscard]] bool is_held(schema::SteadyPoint now) const { return now < until_.load(); }

    /// Whether the node takes in jobs, too: it holds its lease, and no operator drains it.
    [[nodiscard]] bool takes_jobs(schema::SteadyPoint now) const {
        return is_held(now) && !is_draining_;
    }

    [[nodiscard]] bool is_draining() const { return is_draining_; }

    [[nodiscard]] schema::Duration left(schema::SteadyPoint now) const {
        const schema::SteadyPoint until = until_.load();
        return until <= now ? schema::Duration{0}
                            : std::chrono::floor<schema::Duration>(until - now);
    }

    /// Whether it can be told by the leases of others who lives. After a gap in its own it cannot:
    /// what ended that, such as an outage of the database, may have ended all of them.
    [[nodiscard]] bool sees_others(schema::SteadyPoint now) const {
        return is_held(now) && now >= sees_others_from_.load();
    }

    void hold_until(schema::SteadyPoint until) { until_ = until; }
    void see_others_from(schema::SteadyPoint from) { sees_others_from_ = from; }
    void drain(bool is_draining) { is_draining_ = is_draining; }

private:
    std::atomic<schema::SteadyPoint> until_{schema::SteadyPoint::min()};
    std::atomic<schema::SteadyPoint> sees_others_from_{schema::SteadyPoint::min()};
    std::atomic<bool> is_draining_{false};
};

/// Finds nodes that do not renew their leases any more, and frees their jobs (I2). To find those in
/// a long backlog may take longer than a lease, so this is no work for who renews the own one. It
/// sleeps until it is asked.
///
/// Thread safety: look() is safe; one pass at a time. Everything passed in must outlive it.
class DeadNodes final : public Activity {
public:
    struct Dependencies {
        persistence::NodeStore& nodes;
        persistence::ExecutorStore& jobs;
        const schema::Clock& clock;
        const WakeUps& wake_ups;
        schema::Log& log;
    };

    /// `node` is this one, and `patience` how long it leaves others to the first that lives.
    DeadNodes(Dependencies dependencies, std::string node, schema::Duration patience)
        : use_(dependencies), node_(std::move(node)), patience_(patience) {}

    /// Treats every node as dead whose lease had expired by then.
    void look(schema::TimePoint as_of);

    [[nodiscard]] std::string_view name() const noexcept override { return "dead nodes"; }

    /// What it did not free, because it throws, is freed when its locks expire.
    [[nodiscard]] schema::Duration run_once() override;

    /// How many it has found since it began. From any thread.
    [[nodiscard]] std::uint64_t found() const { return found_; }

private:
    void end_leases(schema::TimePoint as_of);
    [[nodiscard]] std::int64_t free_jobs_of(std::span<const std::string> nodes);

    const Dependencies use_;
    const std::string node_;
    const schema::Duration patience_;
    std::atomic<std::uint64_t> found_{0};

    // Guarded by mutex_.
    std::mutex mutex_;
    std::optional<schema::TimePoint> asked_;
};

/// Renews this node's lease, does what an operator wants of the node, and says when to look for
/// nodes that died.
///
/// A node that finds its lease gone (it was frozen, or cut off) registers anew. Whenever its lease
/// was over, perhaps before a registration whose answer it never got, it looks which of its locks
/// it has kept before it starts a job again.
///
/// It takes others for dead only when its own lease has held without a gap for a whole lease time:
/// after an outage of the database everybody's lease is over, and nobody has died. After a jump of
/// the clock it waits until every node has noticed (I6).
///
/// Thread safety: one pass at a time; leave() comes after the last one.
class NodePresence final : public Activity {
public:
    struct Dependencies {
        persistence::NodeStore& nodes;
        const JobIntake& intake;
        NodeLease& lease;
        DeadNodes& dead;
        const WakeUps& wake_ups;
        const schema::Clock& clock;
        schema::Log& log;
        std::function<persistence::NodeLoad()> load;
        std::function<persistence::NodeWork()> work;
        std::function<std::vector<persistence::AskedTopic>()> asked = {};  ///< Empty: nothing.
        /// Renews all locks of this node, and gives up those that others have.
        std::function<void()> check_locks;
        const LastView* view = nullptr;
    };

    NodePresence(
        Dependencies dependencies,
        persistence::NodeIdentity identity,
        schema::Duration lease_time
    );

    [[nodiscard]] std::string_view name() const noexcept override { return "node presence"; }

    /// Renews the lease every third of it, and tells every two seconds what the node does, if that
    /// has changed.
    [[nodiscard]] schema::Duration run_once() override;

    /// This node takes no more jobs, but lives on. From any thread. Throws DbError.
    void stop_serving();

    /// This node has ended. Throws DbError.
    void leave();

private:
    void renew();
    void register_anew();
    void record_work();
    void record_asked();
    void obey(persistence::NodeState state);
    void record_served();
    [[nodiscard]] bool is_served_told() const;
    [[nodiscard]] std::shared_ptr<const persistence::ServedJobs> served_now() const;
    [[nodiscard]] bool can_tell_who_is_dead();
    [[nodiscard]] bool may_any_be_dead() const;

    // Constant after construction.
    const Dependencies use_;
    const persistence::NodeIdentity identity_;
    const schema::Duration lease_time_;

    std::atomic<bool> is_leaving_{false};

    // Touched by passes only.
    ClockJumps clock_jumps_;
    bool has_registered_ = false;
    persistence::NodeWork told_;  ///< What others can read of this node; and of what it serves:
    std::shared_ptr<const persistence::ServedJobs> told_served_;
    std::vector<persistence::AskedTopic> told_asked_;
    schema::SteadyPoint renews_at_ = schema::SteadyPoint::min();
    bool is_taken_over_ = false;
    schema::SteadyPoint trusts_from_ = schema::SteadyPoint::max();  ///< Its view of other nodes.
};

}  // namespace jobstrand::executor
