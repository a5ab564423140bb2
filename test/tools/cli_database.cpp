#include "test/tools/cli_database.hpp"

#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/open_connection.hpp"
#include "test/fixtures/postgresql_server.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/url_text.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace jobstrand::test {

namespace {

/// Empty: no server, but a file.
[[nodiscard]] std::string_view named_server() {
    const char* const name = std::getenv("JOBSTRAND_TEST_SERVER");
    return name == nullptr ? "" : name;
}

[[nodiscard]] DatabaseServer& server() {
    return named_server() == "mariadb" ? static_cast<DatabaseServer&>(shared_mariadb_server())
                                       : shared_postgresql_server();
}

/// Its tables are made once, which takes a second. They hold the times far ahead that tests name.
struct DatabaseWithTables {
    DatabaseWithTables() {
        const auto connection = open_connection(database.url());
        persistence::upgrade_schema(*connection);
        (void)persistence::make_times_last(*connection);
    }

    const ServerDatabase database{server().url()};
};

[[nodiscard]] const ServerDatabase& shared_database() {
    static const DatabaseWithTables shared;
    return shared.database;
}

/// Skips the whole program.
class NeedsServer final : public testing::Environment {
    void SetUp() override {
        if (named_server().empty()) {
            return;
        }
        ASSERT_TRUE(named_server() == "mariadb" || named_server() == "postgresql");
        const auto missing = named_server() == "mariadb" ? MariaDbServer::what_is_missing()
                                                         : PostgresqlServer::what_is_missing();
        if (missing) {
            GTEST_SKIP() << *missing;
        }
    }
};

// GoogleTest owns it.
[[maybe_unused]] const auto* const needs_server =
    testing::AddGlobalTestEnvironment(new NeedsServer);

}  // namespace

std::string empty_cli_database(const std::string& folder) {
    if (named_server().empty()) {
        return "sqlite:" + folder + "/jobs.db";
    }
    shared_database().delete_rows();
    return url_text(shared_database().url());
}

}  // namespace jobstrand::test
