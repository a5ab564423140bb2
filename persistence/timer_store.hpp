#pragma once

#include "persistence/claim_request.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace jobstrand::persistence {

/// Timers that are due at `now`, and those that would be within `ahead` of it (R118); where `from`
/// is given, only those that are not due before it.
struct DueWindow {
    // Implicit on purpose: mostly nothing fires ahead of its time.
    DueWindow(
        schema::TimePoint now_at,
        schema::Duration window = {},
        std::optional<schema::TimePoint> earliest = {}
    )
        : now(now_at), ahead(window), from(earliest) {}

    schema::TimePoint now;
    schema::Duration ahead;
    std::optional<schema::TimePoint> from;

    /// If given, what was due then, and no turns of series that were made since. A series that
    /// catches up makes its next turn with each one that falls due, and would be served for ever.
    std::optional<schema::TimePoint> as_of = {};

    /// Whether the timers that are served stay where they are.
    bool are_served_left = false;

    /// Told of the last due date of a page behind which there may be more, before it is moved:
    /// another may look behind it. Told again when the move has to begin anew. Empty: nobody asks.
    std::function<void(schema::TimePoint end)> when_found = {};

    bool operator==(const DueWindow& other) const {
        return now == other.now && ahead == other.ahead && from == other.from &&
               as_of == other.as_of && are_served_left == other.are_served_left;
    }
};

struct DueTimers {
    std::size_t moved = 0;                      ///< All that are no longer due in the timer place.
    std::vector<schema::Job> locked = {};       ///< Those locked for the caller, in due order.
    std::optional<schema::TimePoint> end = {};  ///< The last due date, if any was found.
    bool is_cut = false;  ///< There were more, whose payloads are too long for this page.
};

/// What the timer mover needs of the store. See Transactions for what holds for all roles.
class TimerStore {
public:
    virtual ~TimerStore() = default;

    /// The earliest due date of a free timer that is to be moved here, of those that are not due
    /// before `from`; nullopt: there is none. Where an engine of Flowable has timers too, these are
    /// ours, and those of served types.
    [[nodiscard]] virtual std::optional<schema::TimePoint>
    next_due(const ServedJobs& served, std::optional<schema::TimePoint> from = {}) = 0;

    /// The earliest due date, up to `until`, of a free timer that is not served: of another type or
    /// priority, or for external workers. Earlier ones than `from` are not looked at; the cost
    /// depends on how many timers there are between the two. Precondition: some types are served.
    [[nodiscard]] virtual std::optional<schema::TimePoint> next_due_of_others(
        const ServedJobs& served,
        std::optional<schema::TimePoint> from,
        schema::TimePoint until
    ) = 0;

    /// Moves up to `limit` due timers to the executable place, earliest first. Where `claim` is
    /// given, jobs that are served arrive locked by it, whatever they need; they are returned,
    /// ready to run. The bound in bytes holds only there.
    ///
    /// A turn of a series (a timer with a REPEAT_) brings the next one with it, in the same
    /// transaction; its misfire instruction may also give it a later due date, or end its series.
    [[nodiscard]] virtual DueTimers move_due_timers(
        DueWindow window,
        PageLimit limit,
        const std::optional<LockClaim>& claim,
        const ServedJobs& served
    ) = 0;
};

}  // namespace jobstrand::persistence
