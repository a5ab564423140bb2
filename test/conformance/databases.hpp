#pragma once

#include "persistence/drivers/driver.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/session_pool.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
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

/// A database in files of our own.
[[nodiscard]] std::vector<DatabaseUnderTest> in_files(std::string scheme);

/// A server of our own, and those that the environment names.
[[nodiscard]] std::vector<DatabaseUnderTest> on_mariadb();
[[nodiscard]] std::vector<DatabaseUnderTest> on_postgresql();

}  // namespace jobstrand::test
