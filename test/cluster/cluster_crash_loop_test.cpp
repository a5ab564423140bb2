#include "test/cluster/cluster_fixture.hpp"
#include "test/cluster/servers.hpp"

#include <cstdlib>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::Cluster;
using test::JobDatabase;

/// A job whose handler calls std::abort() at once.
class CrashLoop : public testing::TestWithParam<test::ServerUnderTest> {
protected:
    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        ::setenv("JOBSTRAND_CLUSTER_LOCK_MS", "500", 1);
        server = GetParam().start();
        database = std::make_unique<JobDatabase>(server->url());
    }

    void TearDown() override { ::unsetenv("JOBSTRAND_CLUSTER_LOCK_MS"); }

    [[nodiscard]] bool is_over() const { return database->count(JobPlace::executable) == 0; }

    /// Starts one node after the other, until one of them lives and no job waits.
    void run_until_no_job_waits(std::chrono::milliseconds work) {
        for (int nodes = 0; nodes < 10; ++nodes) {
            cluster.start_node(server->url(), work);
            ASSERT_TRUE(test::eventually([&] {
                return is_over() || cluster.last_node().wait(0ms).has_value();
            }));
            if (is_over()) {
                return;
            }
        }
        FAIL() << "the nodes die for ever";
    }

    std::unique_ptr<test::Server> server;
    std::unique_ptr<JobDatabase> database;
    Cluster cluster;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    CrashLoop,
    testing::ValuesIn(test::servers_under_test()),
    testing::PrintToStringParamName()
);

TEST_P(CrashLoop, It_is_a_dead_letter_after_three_starts_and_its_neighbours_are_unharmed) {
    database->add_jobs(100);
    database->add_aborting("job-000000050-aborts");
    run_until_no_job_waits(5ms);
    EXPECT_EQ(cluster.nodes().size(), 4U);
    EXPECT_EQ(database->count(JobPlace::dead_letter), 1);
    EXPECT_EQ(database->count_all(), 1);
    const auto runs = cluster.runs();
    EXPECT_EQ(runs.size(), 101U);
    EXPECT_EQ(runs.at("job-000000050-aborts"), 3);
    EXPECT_EQ(test::count_in(cluster.last_node().log(), "ends every process that runs it"), 1);
}

}  // namespace
}  // namespace jobstrand
