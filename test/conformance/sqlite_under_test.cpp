#include "persistence/drivers/sqlite/database.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "test/conformance/databases.hpp"
#include "test/fixtures/temporary_directory.hpp"

namespace jobstrand::test {

namespace {

using persistence::Connection;
using persistence::SessionPool;

/// A file of its own. Tests need no power cut, so they do not wait for the disk.
class SqliteFile final : public TestDatabase {
public:
    SqliteFile() { persistence::upgrade_schema(*connect(SessionPool::Access::write)); }

    [[nodiscard]] std::unique_ptr<Connection> connect(SessionPool::Access access) override {
        return persistence::open_sqlite(
            {.path = directory_.path() / "jobs.db",
             .synchronous = "off",
             .create_if_missing = true},
            access
        );
    }

private:
    TemporaryDirectory directory_;
};

}  // namespace

DatabaseUnderTest sqlite_under_test() {
    return {"sqlite", [] { return std::make_unique<SqliteFile>(); }};
}

}  // namespace jobstrand::test
