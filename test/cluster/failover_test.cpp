#include "test/cluster/cluster_fixture.hpp"
#include "test/cluster/replicated_pair.hpp"

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::Cluster;
using test::JobDatabase;

/// Two nodes whose URL names both servers of a pair.
class Failover : public testing::TestWithParam<test::PairUnderTest> {
protected:
    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        pair = GetParam().start();
        database = std::make_unique<JobDatabase>(pair->url());
        for (int i = 0; i < 2; ++i) {
            cluster.start_node(pair->url(), 5ms);
        }
        for (const auto& node : cluster.nodes()) {
            ASSERT_TRUE(node->wait_for_log("executor started")) << node->log();
        }
        database->add_jobs(jobs);
        ASSERT_TRUE(test::eventually([&] { return cluster.count_runs() > jobs / 3; }));
    }

    void expect_that_all_jobs_run_at_the_other_server() {
        // Who only reads may stay at the old one for a minute.
        database = std::make_unique<JobDatabase>(pair->url());
        ASSERT_TRUE(test::eventually([&] { return database->count_all() == 0; }, 60s))
            << cluster.nodes().front()->log();
        for (const auto& node : cluster.nodes()) {
            EXPECT_EQ(test::count_in(node->log(), "the database is away"), 1) << node->log();
            EXPECT_EQ(test::count_in(node->log(), "the database is back"), 1) << node->log();
        }
        cluster.expect_alive_and_stop();
        EXPECT_EQ(cluster.runs().size(), jobs);
        // A lock outlasts such a failover, so that it repeats nothing.
        EXPECT_LE(cluster.repeats(), cluster.locks_freed());
    }

    const std::size_t jobs = test::jobs_to_drain(6'000);
    std::unique_ptr<test::ReplicatedPair> pair;
    std::unique_ptr<JobDatabase> database;
    Cluster cluster;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    Failover,
    testing::ValuesIn(test::pairs_under_test()),
    testing::PrintToStringParamName()
);

// I2 I5 I9
TEST_P(Failover, The_death_of_the_primary_loses_no_job_and_uses_no_retry) {
    pair->kill_primary();
    ASSERT_LT(cluster.count_runs(), jobs);
    pair->promote();
    expect_that_all_jobs_run_at_the_other_server();
}

// I2 I5 I9
TEST_P(Failover, A_planned_one_leaves_no_node_behind_at_a_server_that_only_reads) {
    pair->demote_primary();
    ASSERT_LT(cluster.count_runs(), jobs);
    pair->promote();
    expect_that_all_jobs_run_at_the_other_server();
}

}  // namespace
}  // namespace jobstrand
