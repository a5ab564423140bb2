#include "executor/pool/held_jobs.hpp"

#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using test::a_job;

const schema::SteadyPoint kStart{};

TEST(HeldJobs, Only_locks_that_end_before_the_deadline_are_up_for_renewal) {
    HeldJobs held;
    (void)held.add({a_job("soon")}, kStart + 10s);
    (void)held.add({a_job("later")}, kStart + 30s);
    const auto fences = held.expiring_before(kStart + 20s);
    ASSERT_EQ(fences.size(), 1U);
    EXPECT_EQ(fences[0].id, "soon");
    held.extended(fences, kStart + 40s);
    EXPECT_TRUE(held.expiring_before(kStart + 20s).empty());
}

TEST(HeldJobs, The_renewal_of_a_lost_lock_does_not_prolong_the_newer_one_of_the_same_job) {
    HeldJobs held;
    const schema::Job first = a_job("a");
    schema::Job again = first;
    again.revision = 3;
    (void)held.add({first}, kStart + 10s);
    const auto fences = held.expiring_before(kStart + 20s);
    (void)held.add({again}, kStart + 30s);
    held.extended(fences, kStart + 40s);
    EXPECT_EQ(held.expired(kStart + 30s), std::vector<std::string>{"a"});
}

TEST(HeldJobs, A_lost_job_is_told_to_stop_and_no_longer_renewed) {
    HeldJobs held;
    const HeldJobPtr job = held.add({a_job("a")}, kStart + 10s).front();
    held.lost(std::vector<std::string>{"a", "unknown"});
    EXPECT_TRUE(job->stop.stop_requested());
    EXPECT_TRUE(held.expiring_before(kStart + 20s).empty());
}

TEST(HeldJobs, A_lock_is_expired_from_its_last_instant_on) {
    HeldJobs held;
    (void)held.add({a_job("a")}, kStart + 10s);
    EXPECT_TRUE(held.expired(kStart + 10s - 1ms).empty());
    EXPECT_EQ(held.expired(kStart + 10s), std::vector<std::string>{"a"});
}

TEST(HeldJobs, The_end_of_a_lost_run_does_not_forget_the_newer_acquisition_of_the_same_job) {
    HeldJobs held;
    const schema::Job first = a_job("a");
    schema::Job again = first;
    again.revision = 3;
    (void)held.add({first}, kStart + 10s);
    (void)held.add({again}, kStart + 20s);
    held.remove(first);
    EXPECT_EQ(held.size(), 1U);
    held.remove(again);
    EXPECT_EQ(held.size(), 0U);
}

// I8
TEST(HeldJobs, The_bytes_of_payloads_have_a_bound) {
    HeldJobs held(10);
    EXPECT_EQ(held.bytes_left(), 10U);
    (void)held.add({a_job("a").with_payload("1234"), a_job("b").with_payload("56")}, kStart);
    EXPECT_EQ(held.bytes_left(), 4U);
    (void)held.add({a_job("large").with_payload("a job of its own")}, kStart);
    EXPECT_EQ(held.bytes_left(), 0U);
    held.remove(a_job("large").with_payload("a job of its own"));
    EXPECT_EQ(held.bytes_left(), 4U);
}

TEST(HeldJobs, A_job_that_comes_again_is_counted_once) {
    HeldJobs held(10);
    schema::Job again = a_job("a").with_payload("1234");
    (void)held.add({again}, kStart);
    again.revision = 5;
    (void)held.add({again}, kStart);
    EXPECT_EQ(held.bytes_left(), 6U);
}

TEST(HeldJobs, Who_found_no_room_for_bytes_is_told_once_when_there_is) {
    HeldJobs held(4);
    EXPECT_FALSE(held.is_room_awaited());
    const schema::Job job = a_job("a").with_payload("1234");
    (void)held.add({job}, kStart);
    EXPECT_FALSE(held.is_room_awaited()) << "nobody has asked";
    ASSERT_EQ(held.bytes_left(), 0U);
    EXPECT_FALSE(held.is_room_awaited());
    held.remove(job);
    EXPECT_EQ(held.bytes_left(), 4U) << "whoever finds some says nothing about who has not";
    EXPECT_TRUE(held.is_room_awaited());
    EXPECT_FALSE(held.is_room_awaited());
}

TEST(HeldJobs, Who_waits_for_the_end_of_a_job_is_told_when_it_is_forgotten) {
    HeldJobs held;
    const schema::Job job = a_job("a");
    held.wait_until_gone(job, 1h);
    (void)held.add({job}, kStart);
    held.wait_until_gone(job, 1ms);
    EXPECT_EQ(held.size(), 1U) << "the time was over";
    std::thread ending([&] { held.remove(job); });
    held.wait_until_gone(job, 1h);
    ending.join();
    EXPECT_EQ(held.size(), 0U);
}

TEST(HeldJobs, Those_whose_handlers_have_not_returned_can_be_named) {
    HeldJobs held;
    const auto jobs = held.add({a_job("a"), a_job("b")}, kStart);
    EXPECT_TRUE(held.running().empty());
    jobs[1]->is_running = true;
    ASSERT_EQ(held.running().size(), 1U);
    EXPECT_EQ(held.running()[0]->job.id, "b");
}

}  // namespace
}  // namespace jobstrand::executor
