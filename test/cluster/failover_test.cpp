#include "persistence/drivers/database_url.hpp"
#include "test/cluster/cluster_fixture.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/signal.hpp"

#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

/// A server that takes writes, and one that has each of them before who wrote hears that it is
/// committed. A test is the one who decides which of them is the primary.
class ReplicatedPair {
public:
    virtual ~ReplicatedPair() = default;
    ReplicatedPair(const ReplicatedPair&) = delete;
    ReplicatedPair& operator=(const ReplicatedPair&) = delete;

    /// The database for jobs, on both servers, with a user who has rights there and nowhere else.
    [[nodiscard]] virtual std::string url() const = 0;

    /// SIGKILL.
    virtual void kill_primary() = 0;

    /// The primary takes no writes any more. Where its kind allows it, it goes on answering.
    virtual void demote_primary() = 0;

    /// The other one has all that was committed, and takes writes.
    virtual void promote() = 0;

protected:
    ReplicatedPair() = default;
};

/// One kind of server that the cases run on.
struct PairUnderTest {
    std::string name;
    std::function<std::unique_ptr<ReplicatedPair>()> start;

    /// What this machine lacks for it; the cases are then skipped.
    std::optional<std::string> missing = {};
};

/// Shown by GoogleTest behind the name of a case.
std::ostream& operator<<(std::ostream& out, const PairUnderTest& pair) {
    return out << pair.name;
}

constexpr std::string_view kAppOfJobs = "jobs";  ///< The database, and who may use it.
constexpr std::string_view kPassword = "j0bs";

std::string url_of_both(persistence::DatabaseUrl primary, const persistence::DatabaseUrl& other) {
    primary.database = kAppOfJobs;
    primary.user = kAppOfJobs;
    primary.password = kPassword;
    primary.further_hosts = {{other.host, other.port}};
    return url_text(primary);
}

void run_on(const DatabaseServer& server, const std::vector<std::string>& statements) {
    const auto connection = open_connection(server.url());
    for (const std::string& statement : statements) {
        connection->run_script(statement);
    }
}

std::vector<std::string>
row_of(const DatabaseServer& server, std::string_view sql, std::size_t columns) {
    std::vector<std::string> values;
    open_connection(server.url())
        ->query({.sql = sql, .columns = columns}, {}, [&](const persistence::Row& row) {
            for (std::size_t i = 0; i < columns; ++i) {
                values.emplace_back(row.text(i));
            }
        });
    return values;
}

void require(bool is_so, std::string_view what) {
    if (!is_so) {
        throw std::runtime_error(fmt::format("this never came: {}", what));
    }
}

class MariaDbPair final : public ReplicatedPair {
public:
    MariaDbPair() {
        const persistence::DatabaseUrl primary = primary_.url();
        const std::string follow = fmt::format(
            "CHANGE MASTER TO MASTER_HOST='{}', MASTER_PORT={}, MASTER_USER='{}', "
            "MASTER_PASSWORD='{}', MASTER_USE_GTID=slave_pos",
            primary.host,
            primary.port,
            primary.user,
            primary.password
        );
        run_on(replica_, {follow, "START SLAVE"});
        require(
            eventually([this] {
                return row_of(primary_, "SHOW STATUS LIKE 'Rpl_semi_sync_master_clients'", 2) ==
                       std::vector<std::string>{"Rpl_semi_sync_master_clients", "1"};
            }),
            "the replica asks the primary"
        );
        run_on(
            primary_,
            {"SET GLOBAL rpl_semi_sync_master_enabled = ON",
             fmt::format("CREATE DATABASE {}", kAppOfJobs),
             fmt::format("CREATE USER {} IDENTIFIED BY '{}'", kAppOfJobs, kPassword),
             fmt::format("GRANT ALL ON {0}.* TO {0}", kAppOfJobs)}
        );
    }

    [[nodiscard]] std::string url() const override {
        return url_of_both(primary_.url(), replica_.url());
    }

    void kill_primary() override { primary_.kill(); }

    void demote_primary() override {
        run_on(primary_, {"SET GLOBAL read_only = ON"});
        const std::string end = row_of(primary_, "SELECT @@global.gtid_binlog_pos", 1).front();
        const std::string wait = fmt::format("SELECT MASTER_GTID_WAIT('{}', 20)", end);
        require(row_of(replica_, wait, 1).front() == "0", "the replica has what the primary has");
    }

    void promote() override {
        run_on(replica_, {"STOP SLAVE IO_THREAD"});
        require(
            eventually([this] { return has_applied_all(); }), "the replica has applied what it has"
        );
        run_on(replica_, {"STOP SLAVE", "SET GLOBAL read_only = OFF"});
    }

private:
    [[nodiscard]] bool has_applied_all() const {
        // What was read: file and position; what was executed: the same.
        const std::vector<std::string> status = row_of(replica_, "SHOW SLAVE STATUS", 22);
        return status.at(5) == status.at(9) && status.at(6) == status.at(21);
    }

    MariaDbServer primary_{{
        "--server-id=1",
        "--log-bin=binlog",
        "--rpl-semi-sync-master-wait-point=AFTER_SYNC",
        "--rpl-semi-sync-master-timeout=3600000",
    }};
    MariaDbServer replica_{{
        "--server-id=2",
        "--log-bin=binlog",
        "--log-slave-updates",
        "--relay-log=relay",
        "--rpl-semi-sync-slave-enabled=ON",
        "--read-only=ON",
    }};
};

class PostgresqlPair final : public ReplicatedPair {
public:
    PostgresqlPair() {
        run_on(
            primary_,
            {fmt::format("CREATE ROLE {} LOGIN PASSWORD '{}'", kAppOfJobs, kPassword),
             fmt::format("CREATE DATABASE {0} OWNER {0}", kAppOfJobs),
             "ALTER SYSTEM SET synchronous_standby_names = '*'",
             "SELECT pg_reload_conf()"}
        );
        require(
            eventually([this] {
                return row_of(primary_, "SELECT sync_state FROM pg_stat_replication", 1) ==
                       std::vector<std::string>{"sync"};
            }),
            "the primary waits for the standby"
        );
    }

    [[nodiscard]] std::string url() const override {
        return url_of_both(primary_.url(), standby_.url());
    }

    void kill_primary() override { primary_.kill(); }
    void demote_primary() override { primary_.stop(); }

    void promote() override {
        require(row_of(standby_, "SELECT pg_promote()", 1).front() == "t", "the promotion");
    }

private:
    PostgresqlServer primary_;
    PostgresqlServer standby_{PostgresqlServer::StandbyOf{primary_}};
};

/// MariaDB with semi-synchronous replication, and PostgreSQL with a synchronous standby.
std::vector<PairUnderTest> pairs_under_test() {
    return {
        {.name = "mariadb",
         .start = [] { return std::make_unique<MariaDbPair>(); },
         .missing = MariaDbServer::what_is_missing()},
        {.name = "postgresql",
         .start = [] { return std::make_unique<PostgresqlPair>(); },
         .missing = PostgresqlServer::what_is_missing()}};
}

/// Two nodes whose URL names both servers of a pair.
class Failover : public testing::TestWithParam<PairUnderTest> {
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
        ASSERT_TRUE(eventually([&] { return cluster.count_runs() > jobs / 3; }));
    }

    void expect_that_all_jobs_run_at_the_other_server() {
        // Who only reads may stay at the old one for a minute.
        database = std::make_unique<JobDatabase>(pair->url());
        ASSERT_TRUE(eventually([&] { return database->count_all() == 0; }, 60s))
            << cluster.nodes().front()->log();
        for (const auto& node : cluster.nodes()) {
            EXPECT_EQ(count_in(node->log(), "the database is away"), 1) << node->log();
            EXPECT_EQ(count_in(node->log(), "the database is back"), 1) << node->log();
        }
        cluster.expect_alive_and_stop();
        EXPECT_EQ(cluster.runs().size(), jobs);
        // A lock outlasts such a failover, so that it repeats nothing.
        EXPECT_LE(cluster.repeats(), cluster.locks_freed());
    }

    const std::size_t jobs = jobs_to_drain(6'000);
    std::unique_ptr<ReplicatedPair> pair;
    std::unique_ptr<JobDatabase> database;
    Cluster cluster;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    Failover,
    testing::ValuesIn(pairs_under_test()),
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

}  // namespace jobstrand::test
