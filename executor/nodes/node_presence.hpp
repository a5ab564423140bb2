#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/clock_jumps.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/loop/last_view.hpp"
#include "executor/nodes/dead_nodes.hpp"
#include "executor/nodes/node_lease.hpp"
#include "persistence/node_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace jobstrand::executor {

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
