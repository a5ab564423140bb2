#include "executor/loop/acquisition_pace.hpp"

#include <algorithm>

namespace jobstrand::executor {

namespace {

/// A job that comes after an idle time waits at most this part of that time.
constexpr int kPartOfIdleTime = 16;

/// A step of xorshift32: good enough to keep nodes from polling in step, and repeatable in tests.
std::uint32_t next_random(std::uint32_t state) {
    state ^= state << 13U;
    state ^= state >> 17U;
    state ^= state << 5U;
    return state;
}

}  // namespace

AcquisitionPace::AcquisitionPace(Limits limits, std::uint32_t seed)
    : limits_(limits), random_(seed == 0 ? 1 : seed) {}

schema::Duration AcquisitionPace::next_wait(std::size_t found) {
    if (found > 0) {
        reset();
        return schema::Duration{0};
    }
    const schema::Duration wait =
        std::min(std::max(idle_time_ / kPartOfIdleTime, limits_.first), limits_.idle_max);
    random_ = next_random(random_);
    const schema::Duration tenth = wait / 10;
    idle_time_ += wait;
    return wait - schema::Duration{random_ % (tenth.count() + 1)};
}

}  // namespace jobstrand::executor
