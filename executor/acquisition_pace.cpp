#include "executor/acquisition_pace.hpp"

#include <algorithm>

namespace jobstrand::executor {

namespace {

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
    idle_wait_ = std::min(std::max(idle_wait_ * 2, limits_.first), limits_.idle_max);
    random_ = next_random(random_);
    const schema::Duration tenth = idle_wait_ / 10;
    return idle_wait_ - schema::Duration{random_ % (tenth.count() + 1)};
}

}  // namespace jobstrand::executor
