#pragma once

#include "persistence/drivers/driver.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/session_pool.hpp"
#include "test/fixtures/database_servers.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::test {

/// An empty database with the current schema, which is gone after the test.
class TestDatabase {
public:
    virtual ~TestDatabase() = default;
    [[nodiscard]] virtual std::unique_ptr<persistence::Connection> connect(
        persistence::SessionPool::Access access
    ) = 0;
};

/// One kind of database that the suite runs on.
struct DatabaseUnderTest {
    std::string name;
    std::function<std::unique_ptr<TestDatabase>()> create;

    /// What is its own before a connection is open.
    const persistence::Driver* driver = nullptr;

    /// What this machine lacks for it; the cases are then skipped, and nothing connects.
    std::optional<std::string> missing = {};
};

/// Shown by GoogleTest behind the name of a case.
inline std::ostream& operator<<(std::ostream& out, const DatabaseUnderTest& database) {
    return out << database.name;
}

/// All that this machine can offer. SQLite always.
[[nodiscard]] std::vector<DatabaseUnderTest> databases_under_test();

/// Those of them where one transaction need not wait for all others, as it has to where there is
/// one writer.
[[nodiscard]] std::vector<DatabaseUnderTest> servers_under_test();

/// A database in files of our own.
[[nodiscard]] std::vector<DatabaseUnderTest> in_files(std::string scheme);

/// A server of our own, which is started when the first case asks for it, and those with this
/// scheme that the environment names. `missing`: what this machine lacks for our own.
[[nodiscard]] std::vector<DatabaseUnderTest> on_servers(
    std::string_view scheme,
    std::string own_name,
    std::optional<std::string> missing,
    std::function<const DatabaseServer&()> own_server
);

/// The same, with the fixture of a server: its class and the shared one.
template <typename Server>
[[nodiscard]] std::vector<DatabaseUnderTest>
on_servers(std::string_view scheme, std::string own_name, Server& (*own_server)()) {
    return on_servers(scheme, std::move(own_name), Server::what_is_missing(), own_server);
}

}  // namespace jobstrand::test
