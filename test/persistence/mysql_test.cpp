#include "test/persistence/mysql_test.hpp"

#include "test/fixtures/named_databases.hpp"

namespace jobstrand::test {

using persistence::Row;
using persistence::Value;

void MysqlTest::SetUp() {
    const auto missing = MariaDbServer::what_is_missing();
    if (missing && is_own_server()) {
        GTEST_SKIP() << *missing;
    }
    database_.emplace(
        is_own_server() ? shared_mariadb_server().url()
                        : named_databases(schema::DatabaseKind::mysql).front()
    );
    url_ = database_->url();
    connection_ = connect();
}

bool MysqlTest::is_own_server() {
    return named_databases(schema::DatabaseKind::mysql).empty();
}

std::string MysqlTest::text_of(std::string_view sql, std::initializer_list<Value> parameters) {
    std::string text;
    connection_->query(
        {.sql = sql, .columns = 1},
        {parameters.begin(), parameters.size()},
        [&](const Row& row) { text = row.text(0); }
    );
    return text;
}

std::string MysqlTest::shown(std::string_view sql) {
    std::string text;
    connection_->query({.sql = sql, .columns = 2}, {}, [&](const Row& row) { text = row.text(1); });
    return text;
}

void MysqlTest::create_notes() {
    connection_->run_script(
        "CREATE TABLE NOTE (ID_ varchar(64) PRIMARY KEY, TEXT_ varchar(10), NUMBER_ bigint) "
        "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
    );
    execute("INSERT INTO NOTE VALUES ('a', 'one', 1), ('b', 'two', 2)");
}

}  // namespace jobstrand::test
