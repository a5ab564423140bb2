#include "test/fixtures/recording_log.hpp"
#include "tools/program/serve.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;

TEST(SlowStep, A_start_that_takes_long_says_what_it_waits_for) {
    test::RecordingLog log;
    const SlowStep step(log, "the database", 1ms);
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (log.lines().empty() && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::yield();
    }
    ASSERT_EQ(log.count(schema::LogLevel::warn, "still starting"), 1);
    EXPECT_EQ(log.lines().front().fields, "waits_for=the database ");
}

TEST(SlowStep, A_quick_one_says_nothing) {
    test::RecordingLog log;
    { const SlowStep step(log, "the database", 1h); }
    EXPECT_TRUE(log.lines().empty());
}

}  // namespace
}  // namespace jobstrand::cli
