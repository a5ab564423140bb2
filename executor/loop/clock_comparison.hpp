#pragma once

#include "executor/loop/activity.hpp"
#include "persistence/node_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

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

/// Asks the database for its time, and has the clock follow it. false: it has none of its own
/// (SQLite), and the machine's counts. Throws DbError. Thread safety: safe.
bool follow_database(schema::DatabaseClock& clock, persistence::ClockSource& store);

/// Keeps a DatabaseClock on the database's time (I6). It warns when this machine's own clock is
/// more than a second off, once per change: nothing depends on it, but whoever reads the machine's
/// logs does.
///
/// Thread safety: one call at a time. Everything passed in must outlive it.
class ClockComparison final : public Activity {
public:
    ClockComparison(persistence::ClockSource& store, schema::DatabaseClock& clock, schema::Log& log)
        : store_(store), clock_(clock), log_(log) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "clock comparison"; }

    /// Never comes back by itself for a database without a clock of its own.
    [[nodiscard]] schema::Duration run_once() override;

private:
    void log_change_of_skew();

    persistence::ClockSource& store_;
    schema::DatabaseClock& clock_;
    schema::Log& log_;

    schema::Duration logged_skew_{0};
};

}  // namespace jobstrand::executor
