#pragma once

#include "schema/clock.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace jobstrand::executor {

/// How often a node looks at the database's clock: by then every node has noticed that it jumped.
inline constexpr schema::Duration kClockComparisonInterval = std::chrono::seconds(10);

/// Notices from pass to pass whether the wall clock has jumped forward, so that what other nodes
/// renew in time would seem expired (I6).
///
/// Thread safety: one call at a time.
class ClockJumps final {
public:
    /// Whether the wall clock has gained more than `least` on the steady one since the last call.
    /// Never at the first call.
    [[nodiscard]] bool has_jumped(const schema::Clock& clock, schema::Duration least) {
        const Moment pass{.wall = clock.now(), .steady = clock.steady_now()};
        const Moment last = std::exchange(last_, pass).value_or(pass);
        return (pass.wall - last.wall) - (pass.steady - last.steady) > least;
    }

private:
    struct Moment {
        schema::TimePoint wall;
        schema::SteadyPoint steady;
    };
    std::optional<Moment> last_;
};

}  // namespace jobstrand::executor
