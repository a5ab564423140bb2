#include "test/cluster/cluster_fixture.hpp"
#include "test/cluster/servers.hpp"

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::Cluster;
using test::JobDatabase;

/// Four nodes, each a process, on one server.
class Drain : public testing::TestWithParam<test::ServerUnderTest> {
protected:
    static constexpr int kNodes = 4;

    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        server = GetParam().start();
        database = std::make_unique<JobDatabase>(server->url());
    }

    void start_nodes(std::chrono::milliseconds work) {
        for (int i = 0; i < kNodes; ++i) {
            cluster.start_node(server->url(), work);
        }
    }

    [[nodiscard]] bool all_jobs_end() const {
        return test::eventually([&] { return database->count_all() == 0; }, 120s);
    }

    const std::size_t jobs = test::jobs_to_drain(20'000);
    std::unique_ptr<test::Server> server;
    std::unique_ptr<JobDatabase> database;
    Cluster cluster;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    Drain,
    testing::ValuesIn(test::servers_under_test()),
    testing::PrintToStringParamName()
);

// I2 I3 R040 R098 R103
TEST_P(Drain, Four_nodes_run_every_job_exactly_once_and_never_deadlock) {
    database->add_jobs(jobs);
    start_nodes(0ms);
    ASSERT_TRUE(all_jobs_end());
    cluster.expect_alive_and_stop();
    EXPECT_EQ(cluster.runs().size(), jobs);
    EXPECT_EQ(cluster.repeats(), 0U);
    EXPECT_EQ(server->deadlocks(), 0);
}

// I2 I5 I9
TEST_P(Drain, A_crash_of_the_server_loses_no_job_uses_no_retry_and_is_said_once) {
    start_nodes(5ms);  // Nobody is done before the server dies,
    for (const auto& node : cluster.nodes()) {
        ASSERT_TRUE(node->wait_for_log("executor started")) << node->log();  // nor begins then.
    }
    database->add_jobs(jobs);
    ASSERT_TRUE(test::eventually([&] { return cluster.count_runs() > jobs / 3; }));
    server->kill();
    const auto back = std::chrono::steady_clock::now() + 3s;
    ASSERT_TRUE(test::eventually([&] { return std::chrono::steady_clock::now() > back; }));
    ASSERT_LT(cluster.count_runs(), jobs);
    server->start();
    ASSERT_TRUE(all_jobs_end());

    for (const auto& node : cluster.nodes()) {
        EXPECT_EQ(test::count_in(node->log(), "the database is away"), 1) << node->log();
        EXPECT_EQ(test::count_in(node->log(), "the database is back"), 1) << node->log();
    }
    cluster.expect_alive_and_stop();
    EXPECT_EQ(cluster.runs().size(), jobs);
    RecordProperty("repeats", std::to_string(cluster.repeats()));
    // A lock outlasts such a crash, so that it repeats nothing.
    EXPECT_LE(cluster.repeats(), cluster.locks_freed());
    EXPECT_EQ(server->deadlocks(), 0);
}

}  // namespace
}  // namespace jobstrand
