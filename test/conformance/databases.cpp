#include "test/conformance/databases.hpp"

#include "persistence/drivers/driver.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::test {

namespace {

using persistence::Connection;
using persistence::DatabaseUrl;
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

/// A database that other cases have used, without their rows.
class EmptiedDatabase final : public TestDatabase {
public:
    explicit EmptiedDatabase(const ServerDatabase& database) : url_(database.url()) {
        database.delete_rows();
    }

    [[nodiscard]] std::unique_ptr<Connection> connect(SessionPool::Access) override {
        return open_connection(url_);
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
            persistence::upgrade_schema(*open_connection(database_->url()));
        }
        return std::make_unique<EmptiedDatabase>(*database_);
    }

    void TearDown() override { database_.reset(); }

private:
    const std::function<DatabaseUrl()> server_;
    std::optional<ServerDatabase> database_;
};

DatabaseUnderTest on_server(std::string name, std::function<DatabaseUrl()> server) {
    // GoogleTest owns it.
    auto* const database = new SharedDatabase(std::move(server));
    testing::AddGlobalTestEnvironment(database);
    return {.name = std::move(name), .create = [database] { return database->emptied(); }};
}

/// A server that this machine cannot offer.
DatabaseUnderTest without_server(std::string name, std::string missing) {
    return {
        .name = std::move(name),
        .create = [] { return std::make_unique<NoDatabase>(); },
        .missing = std::move(missing)};
}

}  // namespace

std::vector<DatabaseUnderTest> in_files(std::string scheme) {
    return {
        {.name = scheme,
         .create = [scheme] { return std::make_unique<DatabaseFile>(scheme); },
         .driver = persistence::find_driver(scheme)}};
}

std::vector<DatabaseUnderTest> on_servers(
    std::string_view scheme,
    std::string own_name,
    std::optional<std::string> missing,
    std::function<const DatabaseServer&()> own_server
) {
    std::vector<DatabaseUnderTest> databases;
    if (missing) {
        databases.push_back(without_server(std::move(own_name), std::move(*missing)));
    } else {
        databases.push_back(on_server(std::move(own_name), [own_server = std::move(own_server)] {
            return own_server().url();
        }));
    }
    for (const auto& url : named_databases(scheme)) {
        std::string name = fmt::format("{}_{}", scheme, databases.size());
        databases.push_back(on_server(std::move(name), [url] { return url; }));
    }
    for (DatabaseUnderTest& database : databases) {
        database.driver = persistence::find_driver(scheme);
    }
    return databases;
}

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
