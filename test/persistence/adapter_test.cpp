#include "test/persistence/adapter_test.hpp"

#include "persistence/sql/dialect.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/server_database.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

std::optional<std::string> what_is_missing(std::string_view database) {
    return database == "mysql" ? MariaDbServer::what_is_missing()
                               : PostgresqlServer::what_is_missing();
}

/// A type for texts of any length, which takes all bytes where the database lets it.
std::string_view long_text(std::string_view database) {
    if (database == "sqlite") {
        return "blob";
    }
    return database == "mysql" ? "longblob" : "text";
}

}  // namespace

void AdapterTest::SetUp() {
    if (GetParam() == "sqlite") {
        file_ = SqliteFile::without_schema();
        url_ = file_->url();
    } else if (!is_own_server()) {
        database_.emplace(named_databases(GetParam()).front());
        url_ = database_->url();
    } else if (const auto missing = what_is_missing(GetParam())) {
        GTEST_SKIP() << *missing;
    } else {
        database_.emplace(own_server().url());
        url_ = database_->url();
    }
    connection_ = connect();
    prepare();
}

bool AdapterTest::is_own_server() {
    return named_databases(GetParam()).empty();
}

DatabaseServer& AdapterTest::own_server() {
    if (GetParam() == "mysql") {
        return shared_mariadb_server();
    }
    return shared_postgresql_server();
}

std::vector<std::string>
AdapterTest::texts_of(std::string_view sql, std::initializer_list<Value> parameters) {
    std::vector<std::string> texts;
    connection_->query(
        {.sql = sql, .columns = 1},
        {parameters.begin(), parameters.size()},
        [&](const Row& row) { texts.emplace_back(row.text(0)); }
    );
    return texts;
}

std::string AdapterTest::text_of(std::string_view sql, std::initializer_list<Value> parameters) {
    std::vector<std::string> texts = texts_of(sql, parameters);
    return texts.empty() ? "" : std::move(texts.front());
}

void AdapterTest::create_note_table() {
    connection_->run_script(fmt::format(
        "CREATE TABLE NOTE (ID_ varchar(64) NOT NULL PRIMARY KEY, TEXT_ varchar(255), "
        "NUMBER_ bigint, FLAG_ boolean, TIME_ timestamp(3) NULL, LONG_ {}){}",
        long_text(GetParam()),
        connection_->dialect().tables.table_options
    ));
}

void AdapterTest::read_note(std::string_view id, const persistence::RowReader& read) {
    int rows = 0;
    const Value parameter{id};
    connection_->query(
        {.sql = "SELECT TEXT_, NUMBER_, FLAG_, TIME_, LONG_ FROM NOTE WHERE ID_ = ?", .columns = 5},
        {&parameter, 1},
        [&](const Row& row) {
            ++rows;
            read(row);
        }
    );
    EXPECT_EQ(rows, 1);
}

void AdapterTest::create_notes() {
    create_note_table();
    execute("INSERT INTO NOTE (ID_, NUMBER_) VALUES ('a', 1), ('b', 2)");
}

}  // namespace jobstrand::test
