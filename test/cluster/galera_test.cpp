#include "persistence/drivers/mysql/mysql_database.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/cluster/cluster_fixture.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/loopback_port.hpp"
#include "test/fixtures/server_database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kProvider = "/usr/lib/galera/libgalera_smm.so";

std::vector<std::string> options_of(int port, const std::vector<std::string>& members) {
    return {
        "--wsrep-on=ON",
        fmt::format("--wsrep-provider={}", kProvider),
        fmt::format("--wsrep-cluster-address=gcomm://{}", fmt::join(members, ",")),
        "--wsrep-node-address=127.0.0.1",
        fmt::format(
            "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:{};"
            "ist.recv_addr=127.0.0.1:{};gcache.size=32M",
            port,
            free_port()
        ),
        "--wsrep-sst-method=rsync",
        fmt::format("--wsrep-sst-receive-address=127.0.0.1:{}", free_port()),
        "--binlog-format=ROW",
        "--innodb-autoinc-lock-mode=2",
    };
}

/// MariaDB servers that form a Galera cluster on 127.0.0.1, in temporary directories.
///
/// Thread safety: none.
class GaleraCluster final {
public:
    /// nullopt: this machine has the programs. Otherwise what to install.
    [[nodiscard]] static std::optional<std::string> what_is_missing() {
        if (auto missing = MariaDbServer::what_is_missing()) {
            return missing;
        }
        for (const std::string_view program : {kProvider, std::string_view("/usr/bin/rsync")}) {
            if (!std::filesystem::exists(program)) {
                return fmt::format(
                    "not on this machine: {}; install Debian's galera-4 and rsync, for example "
                    "with "
                    "`tools/install_packages test`",
                    program
                );
            }
        }
        return std::nullopt;
    }

    /// Starts one server after the other and waits until each has joined. Throws
    /// std::runtime_error.
    explicit GaleraCluster(std::size_t size) {
        std::vector<int> ports;
        std::vector<std::string> members;
        for (std::size_t i = 0; i < size; ++i) {
            ports.push_back(free_port());
            members.push_back(fmt::format("127.0.0.1:{}", ports.back()));
        }
        for (const int port : ports) {
            const std::vector<std::string> options = options_of(port, members);
            if (!servers_.empty()) {
                servers_.push_back(
                    std::make_unique<MariaDbServer>(options, MariaDbServer::Data::from_cluster)
                );
                continue;
            }
            std::vector<std::string> first = options;
            first.emplace_back("--wsrep-new-cluster");
            servers_.push_back(std::make_unique<MariaDbServer>(first));
            servers_.back()->set_options(options);  // When it comes back, it joins the others.
        }
    }

    [[nodiscard]] MariaDbServer& server(std::size_t index) { return *servers_.at(index); }

    /// How many servers this one sees in its cluster; 0: it does not answer.
    [[nodiscard]] std::int64_t size_seen_by(std::size_t index) const {
        try {
            return status(index, "wsrep_cluster_size");
        } catch (const persistence::DbError&) {
            return 0;
        }
    }

    /// Transactions that lost against another server's since it started: at their certification,
    /// or because the other's write set came in between.
    [[nodiscard]] std::int64_t conflicts_of(std::size_t index) const {
        return status(index, "wsrep_local_cert_failures") + status(index, "wsrep_local_bf_aborts");
    }

private:
    [[nodiscard]] std::int64_t status(std::size_t index, std::string_view name) const {
        std::int64_t value = -1;
        persistence::open_mysql(servers_.at(index)->url())
            ->query(
                {.sql = fmt::format("SHOW GLOBAL STATUS LIKE '{}'", name), .columns = 2},
                {},
                [&](const persistence::Row& row) { value = std::stoll(std::string(row.text(1))); }
            );
        return value;
    }

    std::vector<std::unique_ptr<MariaDbServer>> servers_;
};

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
        return url_text(servers().server(server).url("jobs"));
    }

    void start_nodes(schema::Duration work = 0ms) {
        for (std::size_t i = 0; i < kServers; ++i) {
            cluster.start_node(url(i), work);
        }
    }

    [[nodiscard]] static bool all_jobs_end(JobDatabase& database) {
        return eventually([&] { return database.count_all() == 0; }, 120s);
    }

    [[nodiscard]] static std::int64_t conflicts() {
        std::int64_t all = 0;
        for (std::size_t i = 0; i < kServers; ++i) {
            all += servers().conflicts_of(i);
        }
        return all;
    }

    const std::size_t jobs = jobs_to_drain(10'000);
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
    ASSERT_TRUE(eventually([&] { return cluster.count_runs() > jobs / 3; }));
    constexpr std::size_t victim = 2;
    servers().server(victim).kill();
    ASSERT_LT(cluster.count_runs(), jobs);
    servers().server(victim).start();
    ASSERT_TRUE(eventually([&] { return servers().size_seen_by(0) == kServers; }, 60s));
    EXPECT_TRUE(cluster.nodes()[victim]->wait_for_log("the database is back"));
    ASSERT_TRUE(all_jobs_end(database));

    cluster.expect_alive_and_stop();
    EXPECT_EQ(cluster.runs().size(), jobs);
    RecordProperty("repeats", std::to_string(cluster.repeats()));
    EXPECT_LE(cluster.repeats(), cluster.locks_freed());
}

}  // namespace

}  // namespace jobstrand::test
