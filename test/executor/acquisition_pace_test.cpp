#include "executor/job_acquirer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;

AcquisitionPace a_pace(std::uint32_t seed = 1) {
    return AcquisitionPace({.first = 10ms, .idle_max = 1000ms}, seed);
}

// R057 R058
TEST(AcquisitionPace, Waits_grow_with_the_idle_time_from_the_first_wait_to_the_maximum) {
    AcquisitionPace pace = a_pace();
    schema::Duration idle{0};
    for (int poll = 0; poll < 200; ++poll) {
        const schema::Duration wait = pace.next_wait(0);
        EXPECT_LE(wait, std::clamp<schema::Duration>(idle / 14, 10ms, 1000ms));
        EXPECT_GE(wait, std::clamp<schema::Duration>(idle / 16, 10ms, 1000ms) * 9 / 10);
        idle += wait;
    }
    EXPECT_GE(pace.next_wait(0), 900ms);
}

// R170
TEST(AcquisitionPace, A_pass_that_found_work_is_followed_at_once) {
    AcquisitionPace pace = a_pace();
    (void)pace.next_wait(0);
    EXPECT_TRUE(pace.is_idle());
    EXPECT_EQ(pace.next_wait(3), 0ms);
    EXPECT_FALSE(pace.is_idle());
    EXPECT_LE(pace.next_wait(0), 10ms);
}

TEST(AcquisitionPace, Nodes_with_other_seeds_do_not_poll_in_step) {
    AcquisitionPace one = a_pace(7);
    AcquisitionPace other = a_pace(8);
    bool differ = false;
    for (int i = 0; i < 50; ++i) {
        differ = differ || one.next_wait(0) != other.next_wait(0);
    }
    EXPECT_TRUE(differ);
}

TEST(AcquisitionPace, An_idle_node_polls_about_once_a_second) {
    AcquisitionPace pace = a_pace();
    while (pace.next_wait(0) < 900ms) {
    }
    schema::Duration time{0};
    for (int polls = 0; polls < 100; ++polls) {
        time += pace.next_wait(0);
    }
    EXPECT_GT(time, 90s);
}

}  // namespace
}  // namespace jobstrand::executor
