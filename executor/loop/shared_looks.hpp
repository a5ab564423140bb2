#pragma once

#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "schema/clock.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace jobstrand::executor {

/// What the acquisition has last seen of all tables while it found nothing to do. Whoever would
/// look at one of them goes by that, and asks nothing, while it is recent and there is nothing
/// there. When the acquisition is busy, or does not run, there is no recent view, and everybody
/// looks as ever.
///
/// Thread safety: safe.
class LastView final {
public:
    using Rows = bool persistence::IdleView::*;

    /// So long a view holds. An idle acquisition has a new one before.
    static constexpr schema::Duration kHolds{2500};

    explicit LastView(const WakeUps& wake_ups) : wake_ups_(wake_ups) {}

    /// Whether to look around again at a look that begins now; more often nobody needs it.
    [[nodiscard]] bool is_due(schema::SteadyPoint now) const;

    /// The look began then. Tells of timers that are soon due.
    void saw(const persistence::IdleView& view, schema::SteadyPoint began);

    /// How old the view is that has seen no such rows; nullopt: somebody has to look.
    [[nodiscard]] std::optional<schema::Duration> none_of(Rows rows, schema::SteadyPoint now) const;

    /// Whether all leases of nodes last until then at least.
    [[nodiscard]] bool do_leases_last(schema::TimePoint until, schema::SteadyPoint now) const;

    struct NextDue {
        schema::TimePoint at;  ///< As of when.
        schema::Duration age;
        std::optional<schema::TimePoint> due;
    };
    /// When the next timer is due, as seen by a look that began behind `news`; nullopt: somebody
    /// has to look.
    [[nodiscard]] std::optional<NextDue> next_due(schema::SteadyPoint news, schema::SteadyPoint now)
        const;

    /// Whether there is a view that holds.
    [[nodiscard]] bool is_recent(schema::SteadyPoint now) const;

private:
    [[nodiscard]] std::optional<schema::Duration> age(schema::SteadyPoint now) const;

    const WakeUps& wake_ups_;

    mutable std::mutex mutex_;
    // Guarded by mutex_.
    persistence::IdleView view_;
    std::optional<schema::SteadyPoint> began_;  ///< None: nobody has looked yet.
};

/// Shares work that any node can do for all, such as looking for expired locks. The first living
/// node by name does it at each of its turns, the next one at every second, the one behind that at
/// every third, and from the thirtieth on each at every thirtieth. So a thousand nodes together do
/// it 36 times as often as one; and where the nodes before fail at it, or do not do it at all
/// (ExecutorSettings::reset_expired_jobs), the next one does, thirty turns later at most.
///
/// Thread safety: none.
class NodeTurns final {
public:
    NodeTurns(persistence::NodeStore& nodes, const schema::Clock& clock, std::string node)
        : nodes_(nodes), clock_(clock), node_(std::move(node)) {}

    /// Asked once for each turn. Costs a short statement.
    [[nodiscard]] bool is_mine() {
        share_ = std::min(kMostTurns, 1 + nodes_.living_before(node_, clock_.now()));
        if (++waited_ < share_) {
            return false;
        }
        waited_ = 0;
        return true;
    }

    /// How many turns there are to one of this node, as the last question has found it.
    [[nodiscard]] std::int64_t share() const { return share_; }

private:
    static constexpr std::int64_t kMostTurns = 30;

    persistence::NodeStore& nodes_;
    const schema::Clock& clock_;
    const std::string node_;
    std::int64_t share_ = 1;
    std::int64_t waited_ = 0;
};

}  // namespace jobstrand::executor
