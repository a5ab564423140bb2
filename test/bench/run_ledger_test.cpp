#include "bench/core/run_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace jobstrand::bench {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

void run_all_but(RunLedger& ledger, std::size_t jobs, std::size_t left_out) {
    for (std::size_t i = 0; i < jobs; ++i) {
        if (i != left_out) {
            ledger.succeeded(i);
        }
    }
}

TEST(RunLedger, Each_job_once_is_right) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 99);

    EXPECT_THAT(ledger.mistakes(10), IsEmpty());
}

TEST(RunLedger, A_job_that_never_succeeded_is_a_mistake) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 3);

    EXPECT_THAT(ledger.mistakes(10), HasSubstr("1 jobs never succeeded"));
}

TEST(RunLedger, A_job_that_ran_twice_is_a_mistake_even_if_the_total_is_right) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 3);
    ledger.succeeded(4);

    EXPECT_THAT(ledger.mistakes(10), HasSubstr("1 jobs never succeeded, 1 runs were too many"));
}

TEST(RunLedger, A_payload_may_be_filled_up_behind_its_number) {
    RunLedger ledger(10);
    const std::string payload = RunLedger::payload_of(7, 100);

    EXPECT_EQ(payload.size(), 100U);
    EXPECT_EQ(ledger.number_of(payload), 7U);
}

TEST(RunLedger, A_job_that_nobody_enqueued_is_a_mistake) {
    RunLedger ledger(10);
    run_all_but(ledger, 10, 99);
    ledger.succeeded(10);
    ledger.succeeded(ledger.number_of("not a number"));

    EXPECT_THAT(ledger.mistakes(10), HasSubstr("2 runs were too many"));
}

TEST(RunLedger, A_number_survives_the_way_through_a_payload) {
    RunLedger ledger(1);

    EXPECT_EQ(ledger.number_of(RunLedger::payload_of(0)), 0U);
    EXPECT_EQ(ledger.number_of(RunLedger::payload_of(987'654)), 987'654U);
}

TEST(RunLedger, Only_digits_are_a_number) {
    RunLedger ledger(100);

    EXPECT_GT(ledger.number_of(""), 100U);
    EXPECT_GT(ledger.number_of("7x"), 100U);
    EXPECT_GT(ledger.number_of("-7"), 100U);
}

TEST(RunLedger, Waiting_ends_with_the_last_success) {
    RunLedger ledger(1000);
    const std::jthread worker([&] { run_all_but(ledger, 1000, 5000); });

    EXPECT_TRUE(ledger.wait_for(1000, 20s));
    EXPECT_EQ(ledger.count(), 1000U);
}

TEST(RunLedger, Waiting_ends_when_the_time_is_over) {
    RunLedger ledger(2);
    ledger.succeeded(0);

    EXPECT_FALSE(ledger.wait_for(2, 5ms));
}

}  // namespace
}  // namespace jobstrand::bench
