#pragma once

#include "persistence/sql/connection.hpp"
#include "test/fixtures/database_server.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace jobstrand::test {

/// A database server of a test's own with an empty database for jobs.
class Server final {
public:
    /// `deadlocks` says in its last column how many there were.
    Server(std::unique_ptr<DatabaseServer> server, persistence::Query deadlocks);

    /// The database for jobs, with the password.
    [[nodiscard]] std::string url() const;

    /// SIGKILL.
    void kill() { server_->kill(); }

    /// Starts again on the same directory and port, and waits until it answers.
    void start() { server_->start(); }

    /// The deadlocks that the server has found since it started.
    [[nodiscard]] std::int64_t deadlocks() const;

private:
    const std::unique_ptr<DatabaseServer> server_;
    const persistence::Query deadlocks_;
};

/// One kind of server that the cases run on.
struct ServerUnderTest {
    std::string name;
    std::function<std::unique_ptr<Server>()> start;

    /// What this machine lacks for it; the cases are then skipped.
    std::optional<std::string> missing = {};
};

/// Shown by GoogleTest behind the name of a case.
inline std::ostream& operator<<(std::ostream& out, const ServerUnderTest& server) {
    return out << server.name;
}

/// MariaDB and PostgreSQL.
[[nodiscard]] std::vector<ServerUnderTest> servers_under_test();

}  // namespace jobstrand::test
