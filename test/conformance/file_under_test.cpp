#include "persistence/drivers/driver.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "test/conformance/databases.hpp"
#include "test/fixtures/temporary_directory.hpp"

namespace jobstrand::test {

namespace {

using persistence::Connection;
using persistence::SessionPool;

/// A file of its own. Tests need no power cut, so they do not wait for the disk.
class DatabaseFile final : public TestDatabase {
public:
    explicit DatabaseFile(const std::string& scheme) : driver_(*persistence::find_driver(scheme)) {
        url_.scheme = scheme;
        url_.path = directory_.path() / "jobs.db";
        url_.options["synchronous"] = "off";
        driver_.create(url_);
        persistence::upgrade_schema(*connect(SessionPool::Access::write));
    }

    [[nodiscard]] std::unique_ptr<Connection> connect(SessionPool::Access access) override {
        return driver_.connect(url_, access);
    }

private:
    TemporaryDirectory directory_;
    const persistence::Driver& driver_;
    persistence::DatabaseUrl url_;
};

}  // namespace

std::vector<DatabaseUnderTest> in_files(std::string scheme) {
    return {
        {.name = scheme,
         .create = [scheme] { return std::make_unique<DatabaseFile>(scheme); },
         .driver = persistence::find_driver(scheme)}};
}

}  // namespace jobstrand::test
