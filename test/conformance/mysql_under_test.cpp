#include "persistence/mysql_database.hpp"
#include "persistence/schema_migration.hpp"
#include "schema/ddl.hpp"
#include "test/conformance/databases.hpp"
#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/mysql_database.hpp"
#include "test/fixtures/named_databases.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace jobstrand::test {

namespace {

using persistence::Connection;
using persistence::DatabaseUrl;
using persistence::SessionPool;

/// A database that other cases have used, without their rows.
class EmptiedDatabase final : public TestDatabase {
public:
    explicit EmptiedDatabase(DatabaseUrl url) : url_(std::move(url)) {
        const auto connection = persistence::open_mysql(url_);
        for (const schema::Table& table : schema::tables()) {
            const std::string all = fmt::format("DELETE FROM {}", table.name);
            connection->run_script(
                table.name != "ACT_GE_PROPERTY"
                    ? all
                    : fmt::format("{} WHERE NAME_ <> '{}'", all, schema::kSchemaVersionProperty)
            );
        }
    }

    [[nodiscard]] std::unique_ptr<Connection> connect(SessionPool::Access) override {
        return persistence::open_mysql(url_);
    }

private:
    const DatabaseUrl url_;
};

/// Stands where there is no server: the cases are skipped.
class NoDatabase final : public TestDatabase {
public:
    [[nodiscard]] std::unique_ptr<Connection> connect(SessionPool::Access) override {
        return nullptr;
    }
};

/// One database for all cases, because it takes a second to create the tables; GoogleTest drops it
/// behind the last.
class SharedDatabase final : public testing::Environment {
public:
    explicit SharedDatabase(std::function<DatabaseUrl()> server) : server_(std::move(server)) {}

    [[nodiscard]] std::unique_ptr<TestDatabase> emptied() {
        if (!database_) {
            database_.emplace(server_());
            persistence::upgrade_schema(*persistence::open_mysql(database_->url()));
        }
        return std::make_unique<EmptiedDatabase>(database_->url());
    }

    void TearDown() override { database_.reset(); }

private:
    const std::function<DatabaseUrl()> server_;
    std::optional<MysqlDatabase> database_;
};

DatabaseUnderTest on_server(std::string name, std::function<DatabaseUrl()> server) {
    auto* const database = new SharedDatabase(std::move(server));  // GoogleTest owns it.
    testing::AddGlobalTestEnvironment(database);
    return {.name = std::move(name), .create = [database] { return database->emptied(); }};
}

}  // namespace

std::vector<DatabaseUnderTest> mysql_under_test() {
    std::vector<DatabaseUnderTest> databases;
    if (auto missing = MariaDbServer::what_is_missing()) {
        databases.push_back(
            {.name = "mariadb",
             .create = [] { return std::make_unique<NoDatabase>(); },
             .missing = std::move(missing)}
        );
    } else {
        databases.push_back(on_server("mariadb", [] { return shared_mariadb_server().url(); }));
    }
    for (const DatabaseUrl& url : named_databases(schema::DatabaseKind::mysql)) {
        databases.push_back(on_server(fmt::format("mysql_{}", databases.size()), [url] {
            return url;
        }));
    }
    return databases;
}

}  // namespace jobstrand::test
