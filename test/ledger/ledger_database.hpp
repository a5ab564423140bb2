#pragma once

#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "test/ledger/ledger.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace jobstrand::test {

/// The database that the nodes of a ledger share. It writes down each job that leaves the
/// executable ones, and each node whose lease ends, in the transaction that does it.
class LedgerDatabase {
public:
    virtual ~LedgerDatabase() = default;
    LedgerDatabase(const LedgerDatabase&) = delete;
    LedgerDatabase& operator=(const LedgerDatabase&) = delete;

    [[nodiscard]] virtual std::string url() const = 0;

    /// false: it has no process that could be killed, and nothing to be cut.
    [[nodiscard]] virtual bool is_server() const { return false; }
    /// SIGKILL, and starts it again.
    virtual void crash() {}
    /// Ends all connections but its own.
    virtual void cut_connections() {}

    /// Adds the jobs, with Jobstrand's tables if need be.
    void add_jobs(std::size_t count, Ledger& ledger) const;
    [[nodiscard]] std::int64_t count_jobs() const;
    /// Some of the jobs that are still there, a line each.
    [[nodiscard]] std::string describe_jobs() const;
    /// What the database has written down. The ledger knows the nodes already.
    void report_to(Ledger& ledger) const;

protected:
    LedgerDatabase() = default;
    [[nodiscard]] std::unique_ptr<persistence::Connection> connect() const;
    /// Where triggers can be made, and tables read whole.
    [[nodiscard]] virtual std::unique_ptr<persistence::Connection> connect_behind() const {
        return connect();
    }
    /// With what the database writes down, by the `triggers`.
    void make_tables(const std::vector<std::string>& triggers) const;
};

struct LedgerDatabaseUnderTest {
    std::string name;
    std::function<std::unique_ptr<LedgerDatabase>()> open;

    /// What this machine lacks for it; the cases are then skipped.
    std::optional<std::string> missing = {};
};

/// Shown by GoogleTest behind the name of a case.
inline std::ostream& operator<<(std::ostream& out, const LedgerDatabaseUnderTest& database) {
    return out << database.name;
}

/// SQLite, MariaDB and PostgreSQL, and those that the environment's JOBSTRAND_TEST_URLS names.
[[nodiscard]] std::vector<LedgerDatabaseUnderTest> ledger_databases();

}  // namespace jobstrand::test
