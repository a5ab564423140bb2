#include "persistence/connection.hpp"
#include "persistence/mysql_database.hpp"
#include "test/cluster/servers.hpp"
#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/url_text.hpp"

#include <string>

namespace jobstrand::test {

namespace {

/// With the settings that it comes with, but for those of the fixture.
class MariaDb final : public Server {
public:
    MariaDb() { persistence::open_mysql(server_.url())->run_script("CREATE DATABASE jobs"); }

    [[nodiscard]] std::string url() const override { return url_text(server_.url("jobs")); }

    void kill() override { server_.kill(); }
    void start() override { server_.start(); }

    [[nodiscard]] std::int64_t deadlocks() const override {
        std::int64_t count = -1;
        persistence::open_mysql(server_.url())
            ->query(
                {.sql = "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'", .columns = 2},
                {},
                [&](const persistence::Row& row) { count = std::stoll(std::string(row.text(1))); }
            );
        return count;
    }

private:
    MariaDbServer server_{{"--loose-innodb-snapshot-isolation=ON"}};  ///< As from MariaDB 11.6 on.
};

}  // namespace

ServerUnderTest mariadb_server_under_test() {
    return {
        .name = "mariadb",
        .start = [] { return std::make_unique<MariaDb>(); },
        .missing = MariaDbServer::what_is_missing(),
    };
}

}  // namespace jobstrand::test
