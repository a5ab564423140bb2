#include "executor/acquisition_pace.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;

AcquisitionPace a_pace(std::uint32_t seed = 1) {
    return AcquisitionPace({.first = 10ms, .idle_max = 200ms}, seed);
}

// R057 R058
TEST(AcquisitionPace, Waits_double_while_nothing_is_found_up_to_the_maximum) {
    AcquisitionPace pace = a_pace();
    for (const schema::Duration full : {10ms, 20ms, 40ms, 80ms, 160ms, 200ms, 200ms}) {
        const schema::Duration wait = pace.next_wait(0);
        EXPECT_LE(wait, full);
        EXPECT_GE(wait, full * 9 / 10);
    }
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

TEST(AcquisitionPace, An_idle_node_polls_at_most_six_times_a_second) {
    AcquisitionPace pace = a_pace();
    schema::Duration time{0};
    for (int polls = 0; polls < 100; ++polls) {
        time += pace.next_wait(0);
    }
    EXPECT_GT(time, 100 * 1000ms / 6);
}

}  // namespace
}  // namespace jobstrand::executor
