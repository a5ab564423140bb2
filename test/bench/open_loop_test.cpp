#include "bench/core/open_loop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <vector>

namespace jobstrand::bench {
namespace {

using namespace std::chrono_literals;
using schema::SteadyPoint;

TEST(OpenLoop, Each_number_is_sent_once_whatever_the_number_of_senders) {
    std::mutex mutex;
    std::multiset<std::size_t> sent;
    send_as_planned({.count = 500, .senders = 3}, [&](std::size_t number, SteadyPoint) {
        const std::lock_guard lock(mutex);
        sent.insert(number);
    });

    EXPECT_EQ(sent.size(), 500U);
    EXPECT_EQ(std::set(sent.begin(), sent.end()).size(), 500U);
    EXPECT_EQ(*sent.rbegin(), 499U);
}

TEST(OpenLoop, Intended_times_keep_their_distance_however_long_a_send_takes) {
    std::mutex mutex;
    std::condition_variable never;
    std::vector<SteadyPoint> intended;
    send_as_planned({.count = 4, .per_second = 1000}, [&](std::size_t, SteadyPoint when) {
        intended.push_back(when);
        std::unique_lock lock(mutex);
        never.wait_for(lock, 5ms);  // A sender that is held up for five intervals.
    });

    ASSERT_EQ(intended.size(), 4U);
    for (std::size_t i = 1; i < intended.size(); ++i) {
        EXPECT_EQ(intended[i] - intended[i - 1], 1ms);
    }
}

TEST(OpenLoop, Nothing_is_sent_before_its_time) {
    send_as_planned({.count = 20, .per_second = 2000}, [](std::size_t, SteadyPoint when) {
        EXPECT_GE(std::chrono::steady_clock::now(), when);
    });
}

TEST(OpenLoop, What_a_send_throws_reaches_the_caller) {
    const auto send = [](std::size_t number, SteadyPoint) {
        if (number == 7) {
            throw std::runtime_error("the database is away");
        }
    };

    EXPECT_THROW(send_as_planned({.count = 50, .senders = 2}, send), std::runtime_error);
}

TEST(OpenLoop, A_rate_and_a_time_make_a_count_of_at_least_one) {
    EXPECT_EQ(count_within(1000, 5s), 5000U);
    EXPECT_EQ(count_within(0.5, 3s), 2U);
    EXPECT_EQ(count_within(0.001, 1s), 1U);
}

}  // namespace
}  // namespace jobstrand::bench
