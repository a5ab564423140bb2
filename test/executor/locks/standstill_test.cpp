#include "executor/report/executor_figures.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;

constexpr schema::SteadyPoint at(schema::Duration time) {
    return schema::SteadyPoint(1h + time);
}

TEST(Standstill, Begins_when_held_jobs_neither_run_nor_move) {
    Standstill standstill;
    EXPECT_EQ(standstill.seen({.held = 9, .running = 1, .moves = 9}, at(0s)), 0s);
    EXPECT_EQ(standstill.seen({.held = 9, .running = 0, .moves = 9}, at(5s)), 5s);
    EXPECT_EQ(standstill.seen({.held = 9, .running = 0, .moves = 9}, at(8s)), 8s);
}

TEST(Standstill, Ends_when_one_of_them_runs_or_goes_or_none_is_held) {
    Standstill standstill;
    (void)standstill.seen({.held = 2, .running = 0, .moves = 2}, at(0s));
    EXPECT_EQ(standstill.seen({.held = 2, .running = 1, .moves = 2}, at(9s)), 0s);
    EXPECT_EQ(standstill.seen({.held = 1, .running = 0, .moves = 3}, at(19s)), 0s);
    EXPECT_EQ(standstill.seen({.held = 0, .running = 0, .moves = 3}, at(29s)), 0s);
}

}  // namespace
}  // namespace jobstrand::executor
