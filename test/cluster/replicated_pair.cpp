#include "test/cluster/replicated_pair.hpp"

#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/open_connection.hpp"
#include "test/fixtures/postgresql_server.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/url_text.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace jobstrand::test {

namespace {

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

}  // namespace

std::vector<PairUnderTest> pairs_under_test() {
    return {
        {.name = "mariadb",
         .start = [] { return std::make_unique<MariaDbPair>(); },
         .missing = MariaDbServer::what_is_missing()},
        {.name = "postgresql",
         .start = [] { return std::make_unique<PostgresqlPair>(); },
         .missing = PostgresqlServer::what_is_missing()}};
}

}  // namespace jobstrand::test
