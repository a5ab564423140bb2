#include "persistence/drivers/mysql/mysql_database.hpp"
#include "test/cluster/cluster_fixture.hpp"
#include "test/fixtures/galera_cluster.hpp"
#include "test/fixtures/url_text.hpp"

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::Cluster;
using test::GaleraCluster;
using test::JobDatabase;

/// Three executors, each on a server of its own of one Galera cluster.
class Galera : public testing::Test {
protected:
    static constexpr std::size_t kServers = 3;

    static void SetUpTestSuite() {
        if (!GaleraCluster::what_is_missing()) {
            servers_.emplace(kServers);
        }
    }
    static void TearDownTestSuite() { servers_.reset(); }

    void SetUp() override {
        if (const auto missing = GaleraCluster::what_is_missing()) {
            GTEST_SKIP() << *missing;
        }
        persistence::open_mysql(servers().server(0).url())
            ->run_script("CREATE OR REPLACE DATABASE jobs");
    }

    [[nodiscard]] static GaleraCluster& servers() { return *servers_; }
    [[nodiscard]] static std::string url(std::size_t server) {
        return test::url_text(servers().server(server).url("jobs"));
    }

    void start_nodes(schema::Duration work = 0ms) {
        for (std::size_t i = 0; i < kServers; ++i) {
            cluster.start_node(url(i), work);
        }
    }

    [[nodiscard]] static bool all_jobs_end(JobDatabase& database) {
        return test::eventually([&] { return database.count_all() == 0; }, 120s);
    }

    [[nodiscard]] static std::int64_t conflicts() {
        std::int64_t all = 0;
        for (std::size_t i = 0; i < kServers; ++i) {
            all += servers().conflicts_of(i);
        }
        return all;
    }

    const std::size_t jobs = test::jobs_to_drain(10'000);
    Cluster cluster;

private:
    static inline std::optional<GaleraCluster> servers_;
};

TEST_F(Galera, Executors_that_start_at_once_on_an_empty_database_make_the_tables_together) {
    start_nodes();
    for (const auto& node : cluster.nodes()) {
        EXPECT_TRUE(node->wait_for_log("executor started")) << node->log();
    }
    EXPECT_EQ(JobDatabase(url(0)).count_all(), 0);
    cluster.expect_alive_and_stop();
}

// B11 I3
TEST_F(Galera, Three_executors_on_three_servers_run_every_job_exactly_once_without_a_storm) {
    JobDatabase database(url(0));
    database.add_jobs(jobs);
    const std::int64_t conflicts_before = conflicts();
    start_nodes();
    ASSERT_TRUE(all_jobs_end(database));
    cluster.expect_alive_and_stop();
    EXPECT_EQ(cluster.runs().size(), jobs);
    EXPECT_EQ(cluster.repeats(), 0U);
    RecordProperty("conflicts", std::to_string(conflicts() - conflicts_before));
    // Who loses a page to another server waits a little and finds the next one.
    EXPECT_LT(conflicts() - conflicts_before, static_cast<std::int64_t>(jobs / 50));
}

// I2 I5 B11
TEST_F(Galera, A_server_that_is_killed_and_joins_again_loses_no_job_and_uses_no_retry) {
    JobDatabase database(url(0));
    database.add_jobs(jobs);
    start_nodes(10ms);
    ASSERT_TRUE(test::eventually([&] { return cluster.count_runs() > jobs / 3; }));
    constexpr std::size_t victim = 2;
    servers().server(victim).kill();
    ASSERT_LT(cluster.count_runs(), jobs);
    servers().server(victim).start();
    ASSERT_TRUE(test::eventually([&] { return servers().size_seen_by(0) == kServers; }, 60s));
    EXPECT_TRUE(cluster.nodes()[victim]->wait_for_log("the database is back"));
    ASSERT_TRUE(all_jobs_end(database));

    cluster.expect_alive_and_stop();
    EXPECT_EQ(cluster.runs().size(), jobs);
    RecordProperty("repeats", std::to_string(cluster.repeats()));
    EXPECT_LE(cluster.repeats(), cluster.locks_freed());
}

}  // namespace
}  // namespace jobstrand
