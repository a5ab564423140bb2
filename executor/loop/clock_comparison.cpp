#include "executor/loop/clock_comparison.hpp"

#include <fmt/format.h>

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;

/// Less is what ordinary time synchronization leaves.
constexpr schema::Duration kHarmlessSkew = 1s;

}  // namespace

bool follow_database(schema::DatabaseClock& clock, persistence::ClockSource& store) {
    const schema::SteadyPoint asked = clock.steady_now();
    const std::optional<schema::TimePoint> database_now = store.database_now();
    if (database_now) {
        clock.follow({.database_now = *database_now, .asked = asked, .answered = clock.steady_now()}
        );
    }
    return database_now.has_value();
}

schema::Duration ClockComparison::run_once() {
    if (!follow_database(clock_, store_)) {
        return kUntilWoken;
    }
    log_change_of_skew();
    return kClockComparisonInterval;
}

void ClockComparison::log_change_of_skew() {
    const schema::Duration skew = clock_.skew();
    if (std::chrono::abs(skew - logged_skew_) <= kHarmlessSkew) {
        return;
    }
    const bool is_harmless = std::chrono::abs(skew) <= kHarmlessSkew;
    log_.write(
        is_harmless ? schema::LogLevel::info : schema::LogLevel::warn,
        is_harmless ? "this machine's clock agrees with the database's again"
                    : "this machine's clock is not the database's; jobs follow the database's",
        {{"skew_ms", skew.count()}}
    );
    logged_skew_ = is_harmless ? schema::Duration{0} : skew;
}

}  // namespace jobstrand::executor
