#include "executor/enqueue/job_defaults.hpp"

#include "schema/clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <thread>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using schema::Job;

class JobDefaultsTest : public testing::Test {
protected:
    Job filled(Job job, const schema::RetryPolicy& policy = {}) {
        if (job.handler_type.empty()) {
            job.handler_type = "mail";
        }
        std::vector<Job> jobs{std::move(job)};
        JobDefaults(clock_, policy).fill_in(jobs);
        return jobs.front();
    }

    schema::ManualClock clock_;
};

TEST_F(JobDefaultsTest, A_job_that_says_nothing_gets_id_correlation_and_creation_time) {
    const Job job = filled({});
    EXPECT_EQ(job.id.size(), 36U);
    EXPECT_EQ(job.correlation_id, job.id);
    EXPECT_EQ(job.create_time, clock_.now());
    EXPECT_EQ(job.type, schema::kMessageType);
    EXPECT_EQ(job.retries, 3);
}

TEST_F(JobDefaultsTest, What_a_job_says_is_kept) {
    const Job job = filled({.id = "a", .correlation_id = "order-1", .retries = 7});
    EXPECT_EQ(job.id, "a");
    EXPECT_EQ(job.correlation_id, "order-1");
    EXPECT_EQ(job.retries, 7);
}

// R017
TEST_F(JobDefaultsTest, Without_priorities_every_job_has_0) {
    std::vector<Job> jobs{Job{.handler_type = "mail", .priority = 7}};
    JobDefaults(clock_, {}, false).fill_in(jobs);
    EXPECT_EQ(jobs.front().priority, 0);
    EXPECT_EQ(filled({.priority = 7}).priority, 7);
}

TEST_F(JobDefaultsTest, The_time_of_creation_is_ours_whatever_the_job_says) {
    EXPECT_EQ(filled({.create_time = clock_.now() - 24h}).create_time, clock_.now());
}

TEST_F(JobDefaultsTest, A_due_date_makes_a_message_a_timer_and_nothing_else_one) {
    const schema::TimePoint later = clock_.now() + 1h;
    EXPECT_EQ(filled({.due_date = later}).type, schema::kTimerType);
    Job external;
    external.type = schema::kExternalWorkerType;
    external.due_date = later;
    EXPECT_EQ(filled(external).type, schema::kExternalWorkerType);
}

// R166
TEST_F(JobDefaultsTest, Retries_come_from_the_job_its_cycle_or_the_policy_in_this_order) {
    const schema::RetryPolicy policy{.default_attempts = 9};
    const struct {
        int retries;
        std::string cycle;
        int expected;
    } cases[] = {
        {schema::kDefaultRetries, "", 9},
        {schema::kDefaultRetries, "R5/PT1S", 5},
        {schema::kDefaultRetries, "PT1S,PT2S", 3},
        {schema::kDefaultRetries, "R0/PT1S", 1},
        {1, "R5/PT1S", 1},
        {0, "", 0},
    };
    for (const auto& [retries, cycle, expected] : cases) {
        EXPECT_EQ(filled({.retries = retries, .retry_cycle = cycle}, policy).retries, expected)
            << retries << " '" << cycle << "'";
    }
}

TEST_F(JobDefaultsTest, One_wrong_job_leaves_all_of_its_list_as_it_was) {
    std::vector<Job> jobs(2);
    jobs[0].handler_type = "mail";
    JobDefaults defaults(clock_, {});
    EXPECT_THROW(defaults.fill_in(jobs), std::invalid_argument);
    EXPECT_EQ(jobs[0].id, "");
    EXPECT_FALSE(jobs[0].create_time);
}

TEST_F(JobDefaultsTest, Made_ids_differ_and_grow_also_from_several_threads) {
    JobDefaults defaults(clock_, {});
    constexpr std::size_t kThreads = 4;
    std::vector<std::vector<Job>> lists(kThreads, std::vector<Job>(500, {.handler_type = "mail"}));
    {
        std::vector<std::jthread> threads;
        for (std::vector<Job>& jobs : lists) {
            threads.emplace_back([&] { defaults.fill_in(jobs); });
        }
    }
    std::set<std::string> ids;
    for (const std::vector<Job>& jobs : lists) {
        EXPECT_TRUE(std::ranges::is_sorted(jobs, {}, &Job::id)) << "insertion stays in key order";
        for (const Job& job : jobs) {
            ids.insert(job.id);
        }
    }
    EXPECT_EQ(ids.size(), kThreads * 500);
}

}  // namespace
}  // namespace jobstrand::executor
