#include "tools/handlers/place_faults.hpp"

#include "schema/clock.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

class PlaceFaultsTest : public testing::Test {
protected:
    [[nodiscard]] schema::Duration wait_of(std::string_view what) {
        return faults_.put_off(what, "no such file").wait;
    }

    schema::ManualClock clock_;
    test::RecordingLog log_;
    PlaceFaults faults_{clock_, log_};
};

TEST_F(PlaceFaultsTest, Jobs_wait_as_long_as_the_fault_has_lasted) {
    EXPECT_EQ(wait_of("command a"), 5s);
    clock_.tick(4s);
    EXPECT_EQ(wait_of("command a"), 5s);
    clock_.tick(56s);
    EXPECT_EQ(wait_of("command a"), 60s);
    EXPECT_EQ(wait_of("command b"), 5s) << "it is another fault";
    clock_.tick(1h);
    EXPECT_EQ(wait_of("command a"), 5min);
}

TEST_F(PlaceFaultsTest, The_log_says_once_that_a_fault_begins_and_that_it_is_over) {
    for (int job = 0; job < 10; ++job) {
        (void)wait_of("command a");
    }
    EXPECT_EQ(log_.lines().size(), 1U);
    faults_.began("command b");
    EXPECT_EQ(log_.lines().size(), 1U);
    faults_.began("command a");
    faults_.began("command a");
    EXPECT_EQ(log_.lines().size(), 2U);
    EXPECT_EQ(wait_of("command a"), 5s) << "it begins anew";
}

}  // namespace
}  // namespace jobstrand::cli
