#include "test/conformance/databases.hpp"

#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/postgresql_server.hpp"

#include <algorithm>
#include <iterator>

namespace jobstrand::test {

std::vector<DatabaseUnderTest> databases_under_test() {
    // Once, because the cases of one server share what it takes long to make.
    static const std::vector<DatabaseUnderTest> all = [] {
        std::vector<DatabaseUnderTest> databases;
        for (const auto& some : {
                 in_files("sqlite"),
                 on_servers("mysql", "mariadb", shared_mariadb_server),
                 on_servers("postgresql", "postgresql", shared_postgresql_server),
             }) {
            std::ranges::copy(some, std::back_inserter(databases));
        }
        return databases;
    }();
    return all;
}

std::vector<DatabaseUnderTest> servers_under_test() {
    std::vector<DatabaseUnderTest> servers = databases_under_test();
    std::erase_if(servers, [](const DatabaseUnderTest& one) { return one.driver->has_one_writer; });
    return servers;
}

}  // namespace jobstrand::test
