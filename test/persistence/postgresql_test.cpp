#include "test/persistence/postgresql_test.hpp"

#include "test/fixtures/named_databases.hpp"

namespace jobstrand::test {

using persistence::Row;
using persistence::Value;

void PostgresqlTest::SetUp() {
    const auto missing = PostgresqlServer::what_is_missing();
    if (missing && is_own_server()) {
        GTEST_SKIP() << *missing;
    }
    database_.emplace(
        is_own_server() ? shared_postgresql_server().url()
                        : named_databases(schema::DatabaseKind::postgresql).front()
    );
    url_ = database_->url();
    connection_ = connect();
}

bool PostgresqlTest::is_own_server() {
    return named_databases(schema::DatabaseKind::postgresql).empty();
}

std::string PostgresqlTest::text_of(std::string_view sql, std::initializer_list<Value> parameters) {
    std::string text;
    connection_->query(
        {.sql = sql, .columns = 1},
        {parameters.begin(), parameters.size()},
        [&](const Row& row) { text = row.text(0); }
    );
    return text;
}

void PostgresqlTest::create_notes() {
    connection_->run_script(
        "CREATE TABLE NOTE (ID_ varchar(64) PRIMARY KEY, TEXT_ varchar(10), NUMBER_ bigint)"
    );
    execute("INSERT INTO NOTE VALUES ('a', 'one', 1), ('b', 'two', 2)");
}

}  // namespace jobstrand::test
