#include "executor/pool/worker_pool.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jobstrand::executor {
namespace {

using test::a_job;
using testing::ElementsAre;
using testing::IsEmpty;

HeldJobPtr waiting(const std::string& id, std::int64_t priority = 0) {
    return std::make_shared<HeldJob>(a_job(id).with_priority(priority), schema::SteadyPoint::max());
}

/// A job whose starts have been lost so often.
HeldJobPtr suspect(const std::string& id, int lost_starts) {
    schema::Job job = a_job(id);
    job.lost_starts = lost_starts;
    return std::make_shared<HeldJob>(std::move(job), schema::SteadyPoint::max());
}

/// The ids in the order in which they start, each ended before the next.
std::vector<std::string> run_all(RunQueue& queue) {
    std::vector<std::string> ids;
    while (queue.has_next()) {
        const HeldJobPtr job = queue.pop();
        ids.push_back(job->job.id);
        queue.ended(*job);
    }
    return ids;
}

TEST(RunQueue, Jobs_that_meet_a_limit_go_first_and_are_given_up_last) {
    RunQueue queue({.goes_first = [](const schema::Job& job) { return job.priority == 7; }});
    for (const std::string id : {"a", "b", "c"}) {
        queue.push(waiting(id));
    }
    queue.push(waiting("limited", 7));
    queue.push(waiting("limited too", 7));
    EXPECT_EQ(queue.size(), 5U);
    EXPECT_EQ(queue.take_last(1).at(0)->job.id, "c");
    EXPECT_THAT(run_all(queue), ElementsAre("limited", "limited too", "a", "b"));
}

TEST(RunQueue, Jobs_start_as_they_came) {
    RunQueue queue({});
    EXPECT_FALSE(queue.has_next());
    queue.push(waiting("c", 1));
    queue.push(waiting("a", 9));
    queue.push(waiting("b", 5));
    EXPECT_EQ(queue.size(), 3U);
    EXPECT_THAT(run_all(queue), ElementsAre("c", "a", "b"));
    EXPECT_EQ(queue.size(), 0U);
}

// R014
TEST(RunQueue, By_priority_an_important_job_passes_those_that_wait_already) {
    RunQueue queue({.order = {.by_priority = true}});
    queue.push(waiting("low-1", -5));
    queue.push(waiting("low-2", -5));
    queue.push(waiting("middle", 0));
    queue.push(waiting("high", 100));
    queue.push(waiting("low-3", -5));
    EXPECT_THAT(run_all(queue), ElementsAre("high", "middle", "low-1", "low-2", "low-3"));
}

// R048
TEST(RunQueue, What_waits_is_in_the_order_of_the_table) {
    using namespace std::chrono_literals;
    const schema::TimePoint now(1h);
    const auto job = [&](const char* id, std::int64_t priority, schema::TimePoint due) {
        return std::make_shared<HeldJob>(
            a_job(id).with_priority(priority).due_at(due), schema::SteadyPoint::max()
        );
    };
    RunQueue queue({.order = {.by_priority = true, .by_due_date = true}});
    queue.push(job("low", 1, now - 5s));
    queue.push(job("late", 2, now));
    queue.push(job("early", 2, now - 1s));
    EXPECT_THAT(run_all(queue), ElementsAre("early", "late", "low"));
}

TEST(RunQueue, By_priority_what_comes_while_others_run_is_ordered_too) {
    RunQueue queue({.order = {.by_priority = true}});
    queue.push(waiting("a", 1));
    queue.push(waiting("b", 1));
    EXPECT_EQ(queue.pop()->job.id, "a");
    queue.push(waiting("c", 2));
    EXPECT_EQ(queue.pop()->job.id, "c");
    EXPECT_EQ(queue.pop()->job.id, "b");
    EXPECT_FALSE(queue.has_next());
}

TEST(RunQueue, Of_jobs_before_their_last_start_one_runs_at_a_time) {
    RunQueue queue({.alone_from = 2});
    queue.push(suspect("last-1", 2));
    queue.push(suspect("last-2", 3));
    const HeldJobPtr first = queue.pop();
    EXPECT_EQ(first->job.id, "last-1");
    EXPECT_FALSE(queue.has_next());
    EXPECT_EQ(queue.size(), 1U);
    queue.ended(*first);
    ASSERT_TRUE(queue.has_next());
    EXPECT_EQ(queue.pop()->job.id, "last-2");
}

TEST(RunQueue, One_that_starts_alone_waits_for_every_suspected_job_and_no_other_begins) {
    RunQueue queue({.alone_from = 2});
    queue.push(suspect("early-1", 1));
    const HeldJobPtr early = queue.pop();
    queue.push(suspect("early-2", 1));
    queue.push(suspect("last", 2));
    queue.push(waiting("new"));
    EXPECT_EQ(queue.pop()->job.id, "new") << "nobody suspects it";
    EXPECT_FALSE(queue.has_next());
    queue.ended(*early);
    const HeldJobPtr last = queue.pop();
    EXPECT_EQ(last->job.id, "last");
    EXPECT_FALSE(queue.has_next());
    queue.ended(*last);
    EXPECT_EQ(queue.pop()->job.id, "early-2");
}

TEST(RunQueue, Suspected_jobs_run_beside_each_other_before_their_last_start) {
    RunQueue queue({.alone_from = 2});
    queue.push(suspect("early-1", 1));
    queue.push(suspect("early-2", 1));
    EXPECT_EQ(queue.pop()->job.id, "early-1");
    EXPECT_EQ(queue.pop()->job.id, "early-2");
}

TEST(RunQueue, Other_jobs_run_beside_one_that_starts_alone) {
    RunQueue queue({.alone_from = 2});
    queue.push(waiting("a"));
    queue.push(suspect("last-1", 2));
    queue.push(suspect("last-2", 2));
    const HeldJobPtr first = queue.pop();
    EXPECT_EQ(first->job.id, "last-1") << "it has waited longest";
    const HeldJobPtr other = queue.pop();
    EXPECT_EQ(other->job.id, "a");
    queue.ended(*other);
    EXPECT_FALSE(queue.has_next()) << "the one that starts alone still runs";
    queue.ended(*first);
    EXPECT_TRUE(queue.has_next());
}

TEST(RunQueue, What_would_start_last_can_be_taken_out_again) {
    RunQueue queue({.order = {.by_priority = true}, .alone_from = 2});
    queue.push(waiting("low", 1));
    queue.push(waiting("high-1", 9));
    queue.push(suspect("last", 2));
    queue.push(waiting("high-2", 9));
    const auto ids_of_last = [&](std::size_t count) {
        std::vector<std::string> ids;
        for (const HeldJobPtr& job : queue.take_last(count)) {
            ids.push_back(job->job.id);
        }
        return ids;
    };
    EXPECT_THAT(ids_of_last(0), IsEmpty());
    EXPECT_THAT(ids_of_last(2), ElementsAre("low", "high-2"));
    EXPECT_THAT(ids_of_last(9), ElementsAre("high-1"));
    EXPECT_THAT(run_all(queue), ElementsAre("last"));
}

TEST(RunQueue, All_can_be_taken_out_at_once) {
    RunQueue queue({.order = {.by_priority = true}, .alone_from = 2});
    queue.push(waiting("a", 1));
    queue.push(suspect("early", 1));
    queue.push(suspect("last", 2));
    queue.push(waiting("b", 7));
    std::vector<std::string> ids;
    for (const HeldJobPtr& job : queue.take_all()) {
        ids.push_back(job->job.id);
    }
    EXPECT_THAT(ids, ElementsAre("last", "early", "b", "a"));
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_FALSE(queue.has_next());
    EXPECT_THAT(queue.take_all(), IsEmpty());
}

}  // namespace
}  // namespace jobstrand::executor
