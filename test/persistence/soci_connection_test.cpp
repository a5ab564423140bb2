#include "persistence/soci_connection.hpp"

#include "persistence/sqlite_database.hpp"
#include "persistence/transaction.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace jobstrand::persistence {

namespace {

class SociConnectionTest : public testing::Test {
protected:
    SociConnectionTest() {
        connection_->run_script(
            "create table NOTE (ID_ varchar(64) primary key, TEXT_ text, NUMBER_ bigint, "
            "FLAG_ boolean, TIME_ timestamp, BYTES_ blob)"
        );
    }

    std::int64_t execute(std::string_view sql, std::initializer_list<Value> parameters = {}) {
        return connection_->execute(sql, {parameters.begin(), parameters.size()});
    }

    void query(Query query, std::initializer_list<Value> parameters, const RowReader& read) {
        connection_->query(query, {parameters.begin(), parameters.size()}, read);
    }

    test::TemporaryDirectory directory_;
    std::unique_ptr<Connection> connection_ = open_sqlite(
        {.path = directory_.path() / "notes.db", .create_if_missing = true},
        SessionPool::Access::write
    );
};

TEST_F(SociConnectionTest, Every_kind_of_value_comes_back_as_it_went_in) {
    const schema::TimePoint time{std::chrono::milliseconds(1'700'000'000'123)};
    execute(
        "insert into NOTE values (?, ?, ?, ?, ?, ?)",
        {Value{"a"}, Value{"text"}, Value{std::int64_t{-7}}, Value{true}, Value{time}, Value{}}
    );
    int rows = 0;
    query(
        {.sql = "select TEXT_, NUMBER_, FLAG_, TIME_, BYTES_ from NOTE where ID_ = ?",
         .columns = 5},
        {Value{"a"}},
        [&](const Row& row) {
            ++rows;
            EXPECT_EQ(row.text(0), "text");
            EXPECT_EQ(row.integer(1), -7);
            EXPECT_TRUE(row.boolean(2));
            EXPECT_EQ(row.time(3), time);
            EXPECT_TRUE(row.is_null(4));
        }
    );
    EXPECT_EQ(rows, 1);
}

}  // namespace

}  // namespace jobstrand::persistence
