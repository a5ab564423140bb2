#pragma once

#include "schema/time.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jobstrand::bench {

/// When each of many numbered things happened. Written and read by any threads.
class TimeStamps final {
public:
    explicit TimeStamps(std::size_t count) : nanos_(count) {}

    void set(std::size_t number, schema::SteadyPoint time) noexcept {
        nanos_[number].store(time.time_since_epoch().count(), std::memory_order_release);
    }

    /// The epoch of the clock when nothing was set.
    [[nodiscard]] schema::SteadyPoint at(std::size_t number) const noexcept {
        return schema::SteadyPoint(
            schema::SteadyPoint::duration(nanos_[number].load(std::memory_order_acquire))
        );
    }

private:
    std::vector<std::atomic<std::int64_t>> nanos_;
};

}  // namespace jobstrand::bench
