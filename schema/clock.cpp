#include "schema/clock.hpp"

namespace jobstrand::schema {

namespace {

Duration since_steady_start(SteadyPoint point) {
    return std::chrono::floor<Duration>(point.time_since_epoch());
}

}  // namespace

TimePoint DatabaseClock::now() const {
    const Duration offset = offset_.load();
    return offset == kNever ? machine_.now() : TimePoint(since_steady_start(steady_now()) + offset);
}

void DatabaseClock::follow(const ClockReading& reading) {
    const Duration shown = reading.database_now.time_since_epoch();
    const Duration earliest = shown - since_steady_start(reading.answered);
    const Duration latest = shown - since_steady_start(reading.asked);
    const Duration known = offset_.load();
    if (known == kNever || known < earliest || known > latest) {
        offset_.store(earliest + (latest - earliest) / 2);
    }
}

}  // namespace jobstrand::schema
