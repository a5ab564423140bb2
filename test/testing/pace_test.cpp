#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/testing.hpp>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Contains;
using testing::Ge;
using testing::IsSupersetOf;
using testing::Lt;
using testing::Not;

// The pace is printed and not asserted: this machine may be busy.
TEST(TestKitPace, Makes_more_than_ten_thousand_turns_of_a_year_with_both_changes_of_clocks) {
    TestEngine test(TestEngine::silent(), std::chrono::sys_days(2014y / 1 / 1));
    test.engine().add_handler("noop", [](const JobContext&) { return Succeeded{}; });
    test.engine().start_series({
        .turn = {.handler_type = "noop"},
        .repeat = "0 0/52 * * * ?",
        .zone = "Europe/Berlin",
    });
    const auto began = std::chrono::steady_clock::now();
    test.run_for(std::chrono::days(365), 20'000);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const auto seconds = std::to_string(took.count());
    RecordProperty("seconds", seconds);
    std::vector<TimePoint> times;
    for (const TestRun& run : test.runs()) {
        times.push_back(run.at);
    }
    // At :00 and :52 of each hour of a year. In spring three o'clock follows eight minutes to two;
    // in autumn the hour that comes twice has its turns once.
    EXPECT_EQ(times.size(), 2 * 365 * 24 - 2);
    const TimePoint spring = std::chrono::sys_days(2014y / 3 / 30) + 1h;
    const TimePoint autumn = std::chrono::sys_days(2014y / 10 / 26);
    EXPECT_THAT(times, IsSupersetOf({spring - 8min, spring, autumn - 8min, autumn + 1h}));
    EXPECT_THAT(times, Not(Contains(AllOf(Ge(autumn), Lt(autumn + 1h)))));
    EXPECT_TRUE(std::ranges::is_sorted(times));
    std::cout << times.size() << " turns in " << seconds << " s, 10000 in "
              << took.count() * 10'000 / static_cast<double>(times.size()) << " s\n";
}

}  // namespace

}  // namespace jobstrand::test
