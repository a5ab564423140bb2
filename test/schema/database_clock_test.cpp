#include "schema/clock.hpp"

#include <gtest/gtest.h>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

class DatabaseClockTest : public testing::Test {
protected:
    /// The database showed `database_now` in a round trip of this length that has just ended.
    void read(TimePoint database_now, Duration round_trip = 0ms) {
        clock.follow(
            {.database_now = database_now,
             .asked = machine.steady_now() - round_trip,
             .answered = machine.steady_now()}
        );
    }

    schema::ManualClock machine;
    const TimePoint machine_start = machine.now();
    DatabaseClock clock{machine};
};

TEST_F(DatabaseClockTest, Before_the_first_comparison_it_is_the_machines_clock) {
    EXPECT_EQ(clock.now(), machine.now());
    EXPECT_EQ(clock.skew(), 0ms);
}

// I6
TEST_F(DatabaseClockTest, It_shows_the_databases_time_however_wrong_the_machines_is) {
    for (const Duration off : {-10min, 10min}) {
        read(machine.now() + off);
        EXPECT_EQ(clock.now(), machine.now() + off);
        EXPECT_EQ(clock.skew(), -off);
        machine.tick(5s);
        EXPECT_EQ(clock.now(), machine.now() + off);
    }
}

TEST_F(DatabaseClockTest, The_reading_was_taken_in_the_middle_of_the_round_trip) {
    read(machine.now() + 1h, 100ms);
    EXPECT_EQ(clock.now(), machine.now() + 1h + 50ms);
}

TEST_F(DatabaseClockTest, A_slow_round_trip_that_contradicts_nothing_changes_nothing) {
    read(machine.now() + 1h);
    machine.tick(10s);
    read(machine.now() + 1h - 900ms, 1s);
    EXPECT_EQ(clock.now(), machine.now() + 1h);
}

TEST_F(DatabaseClockTest, A_jump_of_the_machines_clock_has_no_effect) {
    read(machine.now());
    machine.set_wall(machine_start - 24h);
    EXPECT_EQ(clock.now(), machine_start);
    EXPECT_EQ(clock.skew(), -24h);
}

TEST_F(DatabaseClockTest, A_jump_of_the_databases_clock_is_followed_at_the_next_comparison) {
    read(machine.now());
    machine.tick(10s);
    read(machine.now() + 1h, 2ms);
    EXPECT_EQ(clock.now(), machine.now() + 1h + 1ms);
    machine.tick(10s);
    read(machine.now() - 1h, 2ms);
    EXPECT_EQ(clock.now(), machine.now() - 1h + 1ms);
}

}  // namespace
}  // namespace jobstrand::schema
