#include "persistence/postgresql_database.hpp"
#include "test/conformance/server_under_test.hpp"
#include "test/fixtures/named_databases.hpp"
#include "test/fixtures/postgresql_database.hpp"
#include "test/fixtures/postgresql_server.hpp"

namespace jobstrand::test {

namespace {

DatabaseUnderTest
on_postgresql(std::string name, std::function<persistence::DatabaseUrl()> server) {
    return on_server<PostgresqlDatabase>(
        std::move(name), persistence::open_postgresql, std::move(server)
    );
}

}  // namespace

std::vector<DatabaseUnderTest> postgresql_under_test() {
    std::vector<DatabaseUnderTest> databases;
    if (auto missing = PostgresqlServer::what_is_missing()) {
        databases.push_back(without_server("postgresql", std::move(*missing)));
    } else {
        databases.push_back(on_postgresql("postgresql", [] {
            return shared_postgresql_server().url();
        }));
    }
    for (const auto& url : named_databases(schema::DatabaseKind::postgresql)) {
        databases.push_back(on_postgresql(fmt::format("postgresql_{}", databases.size()), [url] {
            return url;
        }));
    }
    return databases;
}

}  // namespace jobstrand::test
