#pragma once

#include "persistence/schema_migration.hpp"
#include "schema/ddl.hpp"
#include "test/conformance/databases.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

namespace jobstrand::test {

/// Opens a connection to a database on a server.
using OpenServer = std::unique_ptr<persistence::Connection> (*)(const persistence::DatabaseUrl& url
);

/// A database that other cases have used, without their rows.
class EmptiedDatabase final : public TestDatabase {
public:
    EmptiedDatabase(persistence::DatabaseUrl url, OpenServer open)
        : url_(std::move(url)), open_(open) {
        const auto connection = open_(url_);
        for (const schema::Table& table : schema::tables()) {
            const std::string all = fmt::format("DELETE FROM {}", table.name);
            connection->run_script(
                table.name != "ACT_GE_PROPERTY"
                    ? all
                    : fmt::format("{} WHERE NAME_ <> '{}'", all, schema::kSchemaVersionProperty)
            );
        }
    }

    [[nodiscard]] std::unique_ptr<persistence::Connection> connect(persistence::SessionPool::Access
    ) override {
        return open_(url_);
    }

private:
    const persistence::DatabaseUrl url_;
    const OpenServer open_;
};

/// Stands where there is no server: the cases are skipped.
class NoDatabase final : public TestDatabase {
public:
    [[nodiscard]] std::unique_ptr<persistence::Connection> connect(persistence::SessionPool::Access
    ) override {
        return nullptr;
    }
};

/// One database for all cases, because it takes a second to create the tables; GoogleTest drops it
/// behind the last. `Database` makes and drops it.
template <typename Database>
class SharedDatabase final : public testing::Environment {
public:
    SharedDatabase(std::function<persistence::DatabaseUrl()> server, OpenServer open)
        : server_(std::move(server)), open_(open) {}

    [[nodiscard]] std::unique_ptr<TestDatabase> emptied() {
        if (!database_) {
            database_.emplace(server_());
            persistence::upgrade_schema(*open_(database_->url()));
        }
        return std::make_unique<EmptiedDatabase>(database_->url(), open_);
    }

    void TearDown() override { database_.reset(); }

private:
    const std::function<persistence::DatabaseUrl()> server_;
    const OpenServer open_;
    std::optional<Database> database_;
};

template <typename Database>
DatabaseUnderTest
on_server(std::string name, OpenServer open, std::function<persistence::DatabaseUrl()> server) {
    // GoogleTest owns it.
    auto* const database = new SharedDatabase<Database>(std::move(server), open);
    testing::AddGlobalTestEnvironment(database);
    return {.name = std::move(name), .create = [database] { return database->emptied(); }};
}

/// A server that this machine cannot offer.
inline DatabaseUnderTest without_server(std::string name, std::string missing) {
    return {
        .name = std::move(name),
        .create = [] { return std::make_unique<NoDatabase>(); },
        .missing = std::move(missing)};
}

}  // namespace jobstrand::test
