#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/time.hpp"
#include "test/persistence/adapter_test.hpp"

#include <array>
#include <chrono>
#include <string_view>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::DbErrorKind;
using persistence::Row;
using persistence::Transaction;
using persistence::Value;
using schema::TimePoint;

/// What only PostgreSQL does with a connection.
class PostgresqlConnectionTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }

    [[nodiscard]] std::string prepared_statements() {
        return text_of("SELECT COUNT(*) FROM pg_prepared_statements");
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnPostgresql,
    PostgresqlConnectionTest,
    testing::Values("postgresql"),
    name_of_database
);

TEST_P(PostgresqlConnectionTest, A_time_of_others_may_have_microseconds) {
    connection_->run_script("ALTER TABLE NOTE ALTER COLUMN TIME_ TYPE timestamp");
    execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', '2026-03-08 07:30:00.001999')");
    const TimePoint time =
        std::chrono::sys_days(std::chrono::year{2026} / 3 / 8) + 7h + 30min + 1ms;
    read_note("a", [&](const Row& row) { EXPECT_EQ(row.time(3), time); });
}

TEST_P(PostgresqlConnectionTest, A_text_with_a_nul_character_is_refused_and_nothing_is_cut) {
    const std::string text("a\0b", 3);
    const auto error =
        error_of([&] { execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{text}}); });
    EXPECT_EQ(error.kind(), DbErrorKind::too_long);
    EXPECT_STREQ(error.what(), "a text has a NUL character in it, which PostgreSQL cannot store");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(PostgresqlConnectionTest, A_text_that_is_not_utf8_is_refused) {
    EXPECT_EQ(
        error_of([&] { execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{"\xff"}}); }
        ).kind(),
        DbErrorKind::too_long
    );
}

TEST_P(PostgresqlConnectionTest, A_statement_whose_table_was_changed_works_at_the_next_try) {
    execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', 'text')");
    read_note("a", [](const Row&) {});
    connect()->run_script(
        "ALTER TABLE NOTE ALTER COLUMN NUMBER_ TYPE integer, ADD COLUMN LAST_ integer"
    );
    EXPECT_EQ(error_of([&] { read_note("a", [](const Row&) {}); }).kind(), DbErrorKind::conflict);
    read_note("a", [](const Row& row) { EXPECT_EQ(row.text(0), "text"); });
}

TEST_P(PostgresqlConnectionTest, A_statement_that_the_server_does_not_know_is_refused_at_each_try) {
    for (int i = 0; i < 3; ++i) {
        const auto error = error_of([&] { execute("SELECT DISTINCT ID_ FROM NOTE FOR UPDATE"); });
        EXPECT_EQ(error.kind(), DbErrorKind::other) << error.what();
    }
}

// A table with row-level security is one of those.
TEST_P(PostgresqlConnectionTest, Rows_that_no_copy_may_write_are_inserted_at_the_next_try) {
    connection_->run_script(
        "DROP ROLE IF EXISTS tenant; CREATE ROLE tenant; GRANT ALL ON NOTE TO tenant;"
        "ALTER TABLE NOTE ENABLE ROW LEVEL SECURITY;"
        "CREATE POLICY everything ON NOTE USING (true); SET ROLE tenant"
    );
    constexpr std::array<std::string_view, 1> kColumns{"ID_"};
    persistence::NewRows rows{.table = "NOTE", .columns = kColumns};
    for (const std::string_view id :
         {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"}) {
        rows.values.emplace_back(id);
    }
    const auto insert = [&] {
        Transaction transaction(*connection_);
        insert_all(transaction, rows);
        transaction.commit();
    };
    EXPECT_EQ(error_of(insert).kind(), DbErrorKind::conflict) << "it is run again";
    insert();
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "16");
    connection_->run_script("RESET ROLE; DROP OWNED BY tenant; DROP ROLE tenant");
}

TEST_P(PostgresqlConnectionTest, A_failed_transaction_leaves_no_prepared_statement_behind) {
    const std::string_view insert = "INSERT INTO NOTE (ID_) VALUES (?)";
    execute(insert, {Value{"a"}});
    const std::string before = prepared_statements();
    for (int i = 0; i < 10; ++i) {
        connection_->begin();
        EXPECT_THROW(execute(insert, {Value{"a"}}), persistence::DbError);
        connection_->rollback();
    }
    execute(insert, {Value{"b"}});
    EXPECT_EQ(prepared_statements(), before);
}

TEST_P(PostgresqlConnectionTest, A_commit_behind_a_failed_statement_says_that_it_did_not_commit) {
    connection_->begin();
    execute("INSERT INTO NOTE (ID_) VALUES ('a')");
    EXPECT_THROW(execute("INSERT INTO NOTE (ID_) VALUES ('a')"), persistence::DbError);
    EXPECT_EQ(error_of([&] { connection_->commit(); }).kind(), DbErrorKind::conflict);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
}

TEST_P(PostgresqlConnectionTest, An_error_names_the_constraint_and_not_the_key) {
    const auto error = error_of([&] {
        execute("INSERT INTO NOTE (ID_) VALUES (?), (?)", {Value{"k"}, Value{"k"}});
    });
    EXPECT_STREQ(
        error.what(),
        "INSERT INTO NOTE (ID_) VALUES (?), (?): duplicate key value violates unique constraint "
        "\"note_pkey\" (23505)"
    );
}

TEST_P(PostgresqlConnectionTest, Writes_although_the_role_reads_only_by_default) {
    execute("ALTER DATABASE " + url_.database + " SET default_transaction_read_only = on");
    const auto other = connect();
    Transaction transaction(*other);
    transaction.execute("INSERT INTO NOTE (ID_) VALUES ('a')");
    transaction.commit();
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "1");
}

}  // namespace

}  // namespace jobstrand::test
