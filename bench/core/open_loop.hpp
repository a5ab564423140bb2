#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <functional>

namespace jobstrand::bench {

/// When things are to be sent, whatever becomes of those before: number n at start + n / rate.
struct SendPlan {
    std::size_t count = 0;
    double per_second = 0;    ///< Zero: one after the other, as fast as each sender can.
    std::size_t senders = 1;  ///< Threads; a free one takes the next number.
};

/// How many are sent at this rate in this time; at least one.
[[nodiscard]] std::size_t count_within(double per_second, schema::Duration time);

/// Calls `send` for the numbers 0 to count - 1. It is told when that number was meant to be sent: a
/// latency counted from then contains the wait of a sender that was held up, so nothing is hidden
/// by coordinated omission. Throws what `send` throws.
void send_as_planned(
    const SendPlan& plan,
    const std::function<void(std::size_t number, schema::SteadyPoint intended)>& send
);

}  // namespace jobstrand::bench
