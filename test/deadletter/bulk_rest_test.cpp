#include "deadletter/bulk_change.hpp"
#include "schema/clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace jobstrand::deadletter {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(BulkRest, Is_four_times_as_long_as_each_transaction_was_within_bounds) {
    schema::ManualClock clock;
    std::vector<schema::Duration> waits;
    BulkRest rest(clock, [&](schema::Duration time) {
        waits.push_back(time);
        clock.tick(time);
    });
    for (const schema::Duration transaction : {20ms, 150ms, 0ms, 30'000ms}) {
        clock.tick(transaction);
        rest.take();
    }
    EXPECT_THAT(waits, ElementsAre(80ms, 600ms, 0ms, 5s));
}

}  // namespace

}  // namespace jobstrand::deadletter
