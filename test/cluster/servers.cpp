#include "test/cluster/servers.hpp"

#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/open_connection.hpp"
#include "test/fixtures/postgresql_server.hpp"
#include "test/fixtures/url_text.hpp"

#include <utility>

namespace jobstrand::test {

namespace {

constexpr std::string_view kJobs = "jobs";

/// With the settings that it comes with, but for those of the fixture and one.
std::unique_ptr<Server> start_mariadb() {
    const std::vector<std::string> as_from_11_6_on{"--loose-innodb-snapshot-isolation=ON"};
    return std::make_unique<Server>(
        std::make_unique<MariaDbServer>(as_from_11_6_on),
        persistence::Query{.sql = "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'", .columns = 2}
    );
}

std::unique_ptr<Server> start_postgresql() {
    return std::make_unique<Server>(
        std::make_unique<PostgresqlServer>(),
        persistence::Query{
            .sql = "SELECT deadlocks FROM pg_stat_database WHERE datname = 'jobs'", .columns = 1}
    );
}

}  // namespace

Server::Server(std::unique_ptr<DatabaseServer> server, persistence::Query deadlocks)
    : server_(std::move(server)), deadlocks_(deadlocks) {
    open_connection(server_->url())->run_script("CREATE DATABASE " + std::string(kJobs));
}

std::string Server::url() const {
    persistence::DatabaseUrl url = server_->url();
    url.database = kJobs;
    return url_text(url);
}

std::int64_t Server::deadlocks() const {
    std::int64_t count = -1;
    open_connection(server_->url())->query(deadlocks_, {}, [&](const persistence::Row& row) {
        count = row.integer(deadlocks_.columns - 1);
    });
    return count;
}

std::vector<ServerUnderTest> servers_under_test() {
    return {
        {.name = "mariadb", .start = start_mariadb, .missing = MariaDbServer::what_is_missing()},
        {.name = "postgresql",
         .start = start_postgresql,
         .missing = PostgresqlServer::what_is_missing()}};
}

}  // namespace jobstrand::test
