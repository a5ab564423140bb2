#include "test/cluster/cluster_fixture.hpp"
#include "test/cluster/servers.hpp"

#include <cstdlib>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::Cluster;
using test::JobDatabase;

/// Four nodes, each a process, that share exclusive jobs.
class Exclusive : public testing::TestWithParam<test::ServerUnderTest> {
protected:
    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        ::setenv("JOBSTRAND_CLUSTER_LOCK_MS", "1000", 1);
        server = GetParam().start();
        database = std::make_unique<JobDatabase>(server->url());
    }

    void TearDown() override { ::unsetenv("JOBSTRAND_CLUSTER_LOCK_MS"); }

    void start_nodes(std::chrono::milliseconds work) {
        for (int i = 0; i < 4; ++i) {
            cluster.start_node(server->url(), work);
        }
    }

    [[nodiscard]] bool all_jobs_end() const {
        return test::eventually([&] { return database->count_all() == 0; }, 120s);
    }

    void expect_each_has_run_and_none_overlapped(std::size_t jobs) const {
        const auto runs = cluster.runs();
        EXPECT_EQ(runs.size(), jobs);
        for (const auto& [id, times] : runs) {
            EXPECT_FALSE(id.starts_with("overlap-")) << id;
        }
    }

    std::unique_ptr<test::Server> server;
    std::unique_ptr<JobDatabase> database;
    Cluster cluster;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    Exclusive,
    testing::ValuesIn(test::servers_under_test()),
    testing::PrintToStringParamName()
);

// I4 R086 R098
TEST_P(Exclusive, Jobs_of_an_instance_never_overlap_on_four_nodes) {
    database->add_exclusive(1000, 7);
    start_nodes(1ms);
    ASSERT_TRUE(all_jobs_end());
    cluster.expect_alive_and_stop();
    expect_each_has_run_and_none_overlapped(1000);
    EXPECT_EQ(cluster.repeats(), 0U);
}

// I2 I4: whoever dies has held some of the instances.
TEST_P(Exclusive, A_killed_node_leaves_its_instances_to_the_others) {
    database->add_exclusive(1000, 7);
    start_nodes(2ms);
    ASSERT_TRUE(test::eventually([&] { return cluster.count_runs() > 100; }));
    for (const std::size_t node : {0U, 1U}) {
        cluster.nodes()[node]->send(SIGKILL);
    }
    ASSERT_TRUE(all_jobs_end());
    expect_each_has_run_and_none_overlapped(1000);
}

}  // namespace
}  // namespace jobstrand
