#include "persistence/mysql_database.hpp"
#include "test/conformance/server_under_test.hpp"
#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/mysql_database.hpp"
#include "test/fixtures/named_databases.hpp"

namespace jobstrand::test {

namespace {

DatabaseUnderTest on_mysql(std::string name, std::function<persistence::DatabaseUrl()> server) {
    return on_server<MysqlDatabase>(std::move(name), persistence::open_mysql, std::move(server));
}

}  // namespace

std::vector<DatabaseUnderTest> mysql_under_test() {
    std::vector<DatabaseUnderTest> databases;
    if (auto missing = MariaDbServer::what_is_missing()) {
        databases.push_back(without_server("mariadb", std::move(*missing)));
    } else {
        databases.push_back(on_mysql("mariadb", [] { return shared_mariadb_server().url(); }));
    }
    for (const auto& url : named_databases(schema::DatabaseKind::mysql)) {
        databases.push_back(on_mysql(fmt::format("mysql_{}", databases.size()), [url] {
            return url;
        }));
    }
    return databases;
}

}  // namespace jobstrand::test
