#pragma once

#include "schema/time.hpp"

#include <atomic>
#include <chrono>

namespace jobstrand::executor {

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

}  // namespace jobstrand::executor
