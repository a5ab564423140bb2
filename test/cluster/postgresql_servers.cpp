#include "persistence/connection.hpp"
#include "persistence/postgresql_database.hpp"
#include "test/cluster/servers.hpp"
#include "test/fixtures/postgresql_server.hpp"
#include "test/fixtures/url_text.hpp"

namespace jobstrand::test {

namespace {

constexpr std::string_view kDeadlocks =
    "SELECT deadlocks FROM pg_stat_database WHERE datname = 'jobs'";

class Postgresql final : public Server {
public:
    Postgresql() {
        persistence::open_postgresql(server_.url())
            ->run_script("CREATE DATABASE jobs ENCODING 'UTF8' TEMPLATE template0");
    }

    [[nodiscard]] std::string url() const override {
        persistence::DatabaseUrl url = server_.url();
        url.database = "jobs";
        return url_text(url);
    }

    void kill() override { server_.kill(); }
    void start() override { server_.start(); }

    [[nodiscard]] std::int64_t deadlocks() const override {
        std::int64_t count = -1;
        persistence::open_postgresql(server_.url())
            ->query({.sql = kDeadlocks, .columns = 1}, {}, [&](const persistence::Row& row) {
                count = row.integer(0);
            });
        return count;
    }

private:
    PostgresqlServer server_;
};

}  // namespace

ServerUnderTest postgresql_server_under_test() {
    return {
        .name = "postgresql",
        .start = [] { return std::make_unique<Postgresql>(); },
        .missing = PostgresqlServer::what_is_missing(),
    };
}

}  // namespace jobstrand::test
