#include "test/cluster/cluster_fixture.hpp"
#include "test/cluster/servers.hpp"

#include <algorithm>
#include <chrono>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::Cluster;
using test::JobDatabase;

/// Jobs that take long, on several nodes of eight workers each.
class Spread : public testing::TestWithParam<test::ServerUnderTest> {
protected:
    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        server = GetParam().start();
        database = std::make_unique<JobDatabase>(server->url());
    }

    /// From here until all jobs have ended.
    [[nodiscard]] std::chrono::milliseconds time_to_end() const {
        const auto began = std::chrono::steady_clock::now();
        EXPECT_TRUE(test::eventually([&] { return database->count_all() == 0; }, 60s));
        return std::chrono::floor<std::chrono::milliseconds>(
            std::chrono::steady_clock::now() - began
        );
    }

    std::unique_ptr<test::Server> server;
    std::unique_ptr<JobDatabase> database;
    Cluster cluster;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    Spread,
    testing::ValuesIn(test::servers_under_test()),
    testing::PrintToStringParamName()
);

// Without a worker that idles it takes four seconds.
TEST_P(Spread, Three_nodes_share_long_jobs_whoever_comes_first) {
    for (int node = 0; node < 3; ++node) {
        cluster.start_node(server->url(), 1s);
        ASSERT_TRUE(cluster.last_node().wait_for_log("executor started"));
    }
    database->add_jobs(96);
    const auto took = time_to_end();
    RecordProperty("milliseconds", std::to_string(took.count()));
    EXPECT_LE(took, 5s);
    for (std::size_t node = 0; node < 3; ++node) {
        const auto runs = cluster.runs_of(node).size();
        EXPECT_GE(runs, 24U) << node;
        EXPECT_LE(runs, 40U) << node;
    }
    EXPECT_EQ(cluster.repeats(), 0U);
    cluster.expect_alive_and_stop();
}

TEST_P(Spread, A_node_that_comes_later_finds_work) {
    database->add_jobs(64);
    cluster.start_node(server->url(), 500ms);
    ASSERT_TRUE(test::eventually([&] { return cluster.count_runs() >= 8; }));
    cluster.start_node(server->url(), 500ms);
    EXPECT_LE(time_to_end(), 4s);
    EXPECT_GE(cluster.runs_of(1).size(), 16U);
    cluster.expect_alive_and_stop();
}

}  // namespace
}  // namespace jobstrand
