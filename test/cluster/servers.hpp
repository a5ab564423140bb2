#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace jobstrand::test {

/// A database server of a test's own, on 127.0.0.1 and in a temporary directory, with an empty
/// database for jobs.
class Server {
public:
    virtual ~Server() = default;

    /// The database for jobs, with the password.
    [[nodiscard]] virtual std::string url() const = 0;

    /// SIGKILL.
    virtual void kill() = 0;

    /// Starts again on the same directory and port, and waits until it answers.
    virtual void start() = 0;

    /// The deadlocks that the server has found since it started.
    [[nodiscard]] virtual std::int64_t deadlocks() const = 0;
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

/// All that this machine can offer; each kind has a file of its own.
[[nodiscard]] std::vector<ServerUnderTest> servers_under_test();

[[nodiscard]] ServerUnderTest mariadb_server_under_test();
[[nodiscard]] ServerUnderTest postgresql_server_under_test();

}  // namespace jobstrand::test
