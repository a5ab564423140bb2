#include "test/persistence/mysql_test.hpp"

namespace jobstrand::test {

using persistence::Row;
using persistence::Value;

void MysqlTest::SetUp() {
    if (const auto missing = MariaDbServer::what_is_missing()) {
        GTEST_SKIP() << *missing;
    }
    url_ = shared_mariadb_server().create_database();
    connection_ = connect();
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
