#include "schema/acquisition.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kBegin{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};

Job a_job(std::int64_t priority, Duration created, std::optional<Duration> due = {}) {
    Job job;
    job.priority = priority;
    job.create_time = kBegin + created;
    if (due) {
        job.due_date = kBegin + *due;
    }
    return job;
}

bool comes_before(const AcquisitionOrder& order, const Job& one, const Job& other) {
    return order_key(order, one) < order_key(order, other);
}

TEST(AcquisitionOrder, None_makes_no_difference_between_jobs) {
    EXPECT_EQ(order_key({}, a_job(1, 0s)), order_key({}, a_job(9, 5s, 7s)));
}

// R045 R012
TEST(AcquisitionOrder, By_priority_the_highest_comes_first_over_the_whole_range) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr AcquisitionOrder kOrder{.by_priority = true};
    EXPECT_TRUE(comes_before(kOrder, a_job(Limits::max(), 9s), a_job(1, 0s)));
    EXPECT_TRUE(comes_before(kOrder, a_job(-1, 9s), a_job(Limits::min(), 0s)));
    EXPECT_EQ(order_key(kOrder, a_job(3, 0s)), order_key(kOrder, a_job(3, 9s)));
}

// R048 R050
TEST(AcquisitionOrder, The_priority_goes_before_timers_and_these_before_the_due_date) {
    constexpr AcquisitionOrder kAll{.by_priority = true, .timers_first = true, .by_due_date = true};
    EXPECT_TRUE(comes_before(kAll, a_job(2, 9s), a_job(1, 0s, 0s)));
    EXPECT_TRUE(comes_before(kAll, a_job(1, 0s, 9s), a_job(1, 0s)));
    EXPECT_TRUE(comes_before(kAll, a_job(1, 9s, 1s), a_job(1, 0s, 2s)));
    EXPECT_TRUE(comes_before(kAll, a_job(1, 1s), a_job(1, 2s)));
}

// B6
TEST(AcquisitionOrder, With_aging_a_step_of_priority_is_worth_so_long_a_wait) {
    constexpr AcquisitionOrder kAging{.by_priority = true, .aging = 1min};
    EXPECT_EQ(order_key(kAging, a_job(0, 0s)), order_key(kAging, a_job(5, 5min)));
    EXPECT_TRUE(comes_before(kAging, a_job(0, 0s), a_job(5, 5min + 1ms)));
    EXPECT_TRUE(comes_before(kAging, a_job(5, 5min - 1ms), a_job(0, 0s)));
}

// B6
TEST(AcquisitionOrder, Aging_never_overflows) {
    using Limits = std::numeric_limits<std::int64_t>;
    constexpr AcquisitionOrder kAging{.by_priority = true, .aging = 365 * 24h};
    Job last = a_job(Limits::min(), 0s, 0s);
    last.due_date = kLatestInstant;
    Job first = a_job(Limits::max(), 0s, 0s);
    first.due_date = kEarliestInstant;
    EXPECT_TRUE(comes_before(kAging, first, a_job(0, 0s)));
    EXPECT_TRUE(comes_before(kAging, a_job(0, 0s), last));
}

// R051
TEST(AcquisitionOrder, Each_has_an_index_whose_columns_are_its_levels) {
    EXPECT_EQ(index_of({.by_priority = true}).name, "priority");
    EXPECT_EQ(index_of({.timers_first = true}).name, "due");
    EXPECT_EQ(index_of({.by_due_date = true}).name, "due");
    EXPECT_EQ(index_of({.by_priority = true, .by_due_date = true}).name, "priority-due");
    EXPECT_EQ(index_of({.by_priority = true, .aging = 1ms}).name, "priority-due");
    EXPECT_EQ(index_of({.tenants_in_turn = true}).name, "tenant");
}

}  // namespace
}  // namespace jobstrand::schema
