#include "schema/time.hpp"
#include "test/persistence/postgresql_test.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::DbErrorKind;
using persistence::Query;
using persistence::Row;
using persistence::Value;
using schema::TimePoint;

constexpr Query kAllOfNote{
    .sql = "SELECT TEXT_, NUMBER_, FLAG_, TIME_, MORE_ FROM NOTE WHERE ID_ = ?",
    .columns = 5};

class PostgresqlConnectionTest : public PostgresqlTest {
protected:
    void SetUp() override {
        PostgresqlTest::SetUp();
        if (connection_) {
            connection_->run_script(
                "CREATE TABLE NOTE (ID_ varchar(64) COLLATE \"C\" PRIMARY KEY, TEXT_ varchar(255), "
                "NUMBER_ bigint, FLAG_ boolean, TIME_ timestamp(3), MORE_ text)"
            );
        }
    }

    void read_note(std::string_view id, const persistence::RowReader& read) {
        int rows = 0;
        const Value parameter{id};
        connection_->query(kAllOfNote, {&parameter, 1}, [&](const Row& row) {
            ++rows;
            read(row);
        });
        EXPECT_EQ(rows, 1);
    }

    /// How many prepared statements this session has, this question included.
    [[nodiscard]] int prepared_statements() {
        return std::stoi(text_of("SELECT COUNT(*) FROM pg_prepared_statements"));
    }
};

TEST_F(PostgresqlConnectionTest, Every_kind_of_value_comes_back_as_it_went_in) {
    const TimePoint time{1'700'000'000'123ms};
    const std::int64_t number = -(std::int64_t{1} << 40);
    execute(
        "INSERT INTO NOTE VALUES (?, ?, ?, ?, ?, ?)",
        {Value{"a"}, Value{"text"}, Value{number}, Value{true}, Value{time}, Value{"\x01\x7f"}}
    );
    read_note("a", [&](const Row& row) {
        EXPECT_EQ(row.text(0), "text");
        EXPECT_EQ(row.integer(1), number);
        EXPECT_EQ(row.text(1), std::to_string(number));
        EXPECT_TRUE(row.boolean(2));
        EXPECT_EQ(row.time(3), time);
        EXPECT_EQ(row.text(4), "\x01\x7f");
        EXPECT_FALSE(row.is_null(4));
    });
}

TEST_F(PostgresqlConnectionTest, Null_reads_as_nothing) {
    execute("INSERT INTO NOTE VALUES (?, ?, ?, ?, ?, ?)", {Value{"a"}, {}, {}, {}, {}, {}});
    read_note("a", [&](const Row& row) {
        for (std::size_t column = 0; column < kAllOfNote.columns; ++column) {
            EXPECT_TRUE(row.is_null(column));
            EXPECT_EQ(row.text(column), "");
            EXPECT_EQ(row.integer(column), 0);
            EXPECT_FALSE(row.boolean(column));
        }
        EXPECT_EQ(row.time(3), std::nullopt);
    });
}

TEST_F(PostgresqlConnectionTest, The_same_statement_takes_other_types_in_the_next_run) {
    const std::string_view insert = "INSERT INTO NOTE (ID_, TEXT_, NUMBER_) VALUES (?, ?, ?)";
    const std::string large(300'000, 'x');
    EXPECT_EQ(
        error_of([&] {
            execute(insert, {Value{"a"}, Value{large}, Value{}});
        }).kind(),
        DbErrorKind::too_long
    );
    execute(insert, {Value{"a"}, Value{"text"}, Value{std::int64_t{1}}});
    execute(insert, {Value{"b"}, Value{}, Value{"2"}});
    execute(insert, {Value{"c"}, Value{std::int64_t{3}}, Value{}});
    EXPECT_EQ(text_of("SELECT STRING_AGG(TEXT_, ',' ORDER BY ID_) FROM NOTE"), "text,3");
    EXPECT_EQ(text_of("SELECT STRING_AGG(NUMBER_::text, ',' ORDER BY ID_) FROM NOTE"), "1,2");
}

TEST_F(PostgresqlConnectionTest, Characters_of_up_to_four_bytes_survive) {
    const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
    execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{text}});
    read_note("a", [&](const Row& row) { EXPECT_EQ(row.text(0), text); });
    EXPECT_EQ(text_of("SELECT CHAR_LENGTH(TEXT_) FROM NOTE"), "4");
    EXPECT_EQ(text_of("SELECT ID_ FROM NOTE WHERE TEXT_ = ?", {Value{text}}), "a");
}

TEST_F(PostgresqlConnectionTest, A_text_of_eight_megabytes_survives) {
    std::string text(8 * 1024 * 1024, 'x');
    text.back() = 'y';
    execute("INSERT INTO NOTE (ID_, MORE_) VALUES ('a', ?)", {Value{text}});
    read_note("a", [&](const Row& row) { EXPECT_TRUE(row.text(4) == text); });
}

TEST_F(PostgresqlConnectionTest, Times_are_utc_whatever_the_zones_of_server_and_process) {
    ::setenv("TZ", "America/New_York", 1);
    ::tzset();
    // Not on a clock that is put forward in New York at this instant.
    const TimePoint time =
        std::chrono::sys_days(std::chrono::year{2026} / 3 / 8) + 7h + 30min + 1ms;
    execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}});
    if (is_own_server()) {
        EXPECT_EQ(
            text_of("SELECT boot_val || ' ' || reset_val FROM pg_settings WHERE name = 'TimeZone'"),
            "GMT Asia/Tashkent"
        );
    }
    EXPECT_EQ(
        text_of("SELECT (EXTRACT(EPOCH FROM TIME_) * 1000)::bigint FROM NOTE"),
        std::to_string(time.time_since_epoch().count())
    );
    EXPECT_EQ(text_of("SELECT TIME_::text FROM NOTE"), "2026-03-08 07:30:00.001");
    read_note("a", [&](const Row& row) { EXPECT_EQ(row.time(3), time); });
    ::unsetenv("TZ");
    ::tzset();
}

TEST_F(PostgresqlConnectionTest, Every_millisecond_survives_and_is_compared) {
    for (const int millis : {0, 1, 9, 10, 99, 100, 500, 999}) {
        const TimePoint time = TimePoint{1'800'000'000s} + std::chrono::milliseconds(millis);
        execute("DELETE FROM NOTE");
        execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}});
        read_note("a", [&](const Row& row) { EXPECT_EQ(row.time(3), time); });
        EXPECT_EQ(text_of("SELECT ID_ FROM NOTE WHERE TIME_ <= ?", {Value{time}}), "a");
        EXPECT_EQ(text_of("SELECT ID_ FROM NOTE WHERE TIME_ <= ?", {Value{time - 1ms}}), "");
    }
}

TEST_F(PostgresqlConnectionTest, A_time_that_no_database_holds_is_refused) {
    const TimePoint time = std::chrono::sys_days(std::chrono::year{12'000} / 1 / 1);
    EXPECT_EQ(
        error_of([&] { execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}}); }
        ).kind(),
        DbErrorKind::too_long
    );
}

TEST_F(PostgresqlConnectionTest, A_time_of_others_may_have_microseconds) {
    connection_->run_script("ALTER TABLE NOTE ALTER COLUMN TIME_ TYPE timestamp");
    execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', '2026-03-08 07:30:00.001999')");
    const TimePoint time =
        std::chrono::sys_days(std::chrono::year{2026} / 3 / 8) + 7h + 30min + 1ms;
    read_note("a", [&](const Row& row) { EXPECT_EQ(row.time(3), time); });
}

TEST_F(PostgresqlConnectionTest, A_text_with_a_nul_character_is_refused_and_nothing_is_cut) {
    const std::string text("a\0b", 3);
    const auto error =
        error_of([&] { execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{text}}); });
    EXPECT_EQ(error.kind(), DbErrorKind::too_long);
    EXPECT_STREQ(error.what(), "a text has a NUL character in it, which PostgreSQL cannot store");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
    EXPECT_TRUE(connection_->is_usable());
}

TEST_F(PostgresqlConnectionTest, A_text_that_is_not_utf8_is_refused) {
    EXPECT_EQ(
        error_of([&] { execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{"\xff"}}); }
        ).kind(),
        DbErrorKind::too_long
    );
}

TEST_F(PostgresqlConnectionTest, A_page_of_rows_is_inserted_in_one_statement) {
    constexpr std::size_t kRows = 512;
    constexpr std::size_t kColumns = 34;
    std::string columns = "ID_ varchar(64) PRIMARY KEY";
    for (std::size_t i = 1; i < kColumns; ++i) {
        columns += fmt::format(", C{} varchar(20)", i);
    }
    connection_->run_script("CREATE TABLE WIDE (" + columns + ")");
    const std::string row(2 * kColumns - 1, '?');
    std::string placeholders;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < kRows; ++i) {
        ids.push_back(fmt::format("id-{:04}", i));
        std::string one = "(?";
        for (std::size_t column = 1; column < kColumns; ++column) {
            one += ",?";
        }
        placeholders += (i == 0 ? "" : ", ") + one + ")";
    }
    std::vector<Value> values;
    for (const std::string& id : ids) {
        for (std::size_t column = 0; column < kColumns; ++column) {
            values.emplace_back(std::string_view(id));
        }
    }
    const std::string insert = "INSERT INTO WIDE VALUES " + placeholders;
    EXPECT_EQ(connection_->execute(insert, values), std::int64_t{kRows});
    EXPECT_EQ(text_of("SELECT MAX(C33) FROM WIDE"), "id-0511");
}

TEST_F(PostgresqlConnectionTest, An_update_counts_the_rows_that_it_finds) {
    execute("INSERT INTO NOTE (ID_, NUMBER_) VALUES ('a', 1), ('b', 1)");
    const std::string_view update = "UPDATE NOTE SET NUMBER_ = ? WHERE ID_ = ?";
    EXPECT_EQ(execute(update, {Value{std::int64_t{2}}, Value{"a"}}), 1);
    EXPECT_EQ(execute(update, {Value{std::int64_t{2}}, Value{"a"}}), 1);
    EXPECT_EQ(execute(update, {Value{std::int64_t{2}}, Value{"x"}}), 0);
    EXPECT_EQ(execute("DELETE FROM NOTE"), 2);
}

TEST_F(PostgresqlConnectionTest, A_statement_is_prepared_once) {
    execute("UPDATE NOTE SET NUMBER_ = ?", {Value{std::int64_t{1}}});
    const int before = prepared_statements();
    for (std::int64_t i = 0; i < 10; ++i) {
        execute("UPDATE NOTE SET NUMBER_ = ?", {Value{i}});
    }
    EXPECT_EQ(prepared_statements(), before);
}

TEST_F(PostgresqlConnectionTest, The_statement_that_was_not_used_for_longest_is_closed) {
    const std::string_view often = "SELECT 'often'";
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(text_of(fmt::format("SELECT {}", i)), std::to_string(i));
        EXPECT_EQ(text_of(often), "often");
    }
    EXPECT_LE(prepared_statements(), 260);
}

TEST_F(PostgresqlConnectionTest, A_statement_whose_table_was_changed_works_at_the_next_try) {
    execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', 'text')");
    read_note("a", [](const Row&) {});
    connect()->run_script(
        "ALTER TABLE NOTE ALTER COLUMN NUMBER_ TYPE integer, ADD COLUMN LAST_ integer"
    );
    EXPECT_EQ(error_of([&] { read_note("a", [](const Row&) {}); }).kind(), DbErrorKind::conflict);
    read_note("a", [](const Row& row) { EXPECT_EQ(row.text(0), "text"); });
}

TEST_F(PostgresqlConnectionTest, A_failed_statement_leaves_a_good_connection) {
    const std::string_view insert = "INSERT INTO NOTE (ID_) VALUES (?)";
    execute(insert, {Value{"a"}});
    EXPECT_EQ(error_of([&] { execute(insert, {Value{"a"}}); }).kind(), DbErrorKind::duplicate_key);
    EXPECT_EQ(
        error_of([&] { execute("SELECT ? FROM NOWHERE", {Value{"a"}}); }).kind(),
        DbErrorKind::schema_missing
    );
    EXPECT_EQ(
        error_of([&] { execute("SELECT MISSING_ FROM NOTE"); }).kind(), DbErrorKind::schema_missing
    );
    EXPECT_EQ(error_of([&] { connection_->run_script("NONSENSE"); }).kind(), DbErrorKind::other);
    EXPECT_TRUE(connection_->is_usable());
    EXPECT_EQ(execute(insert, {Value{"b"}}), 1);
}

TEST_F(PostgresqlConnectionTest, A_failed_transaction_leaves_no_prepared_statement_behind) {
    const std::string_view insert = "INSERT INTO NOTE (ID_) VALUES (?)";
    execute(insert, {Value{"a"}});
    const int before = prepared_statements();
    for (int i = 0; i < 10; ++i) {
        connection_->begin();
        EXPECT_THROW(execute(insert, {Value{"a"}}), persistence::DbError);
        connection_->rollback();
    }
    execute(insert, {Value{"b"}});
    EXPECT_EQ(prepared_statements(), before);
}

TEST_F(PostgresqlConnectionTest, A_commit_behind_a_failed_statement_says_that_it_did_not_commit) {
    connection_->begin();
    execute("INSERT INTO NOTE (ID_) VALUES ('a')");
    EXPECT_THROW(execute("INSERT INTO NOTE (ID_) VALUES ('a')"), persistence::DbError);
    EXPECT_EQ(error_of([&] { connection_->commit(); }).kind(), DbErrorKind::conflict);
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "0");
}

TEST_F(PostgresqlConnectionTest, A_reader_that_throws_leaves_a_good_connection) {
    execute("INSERT INTO NOTE (ID_) VALUES ('a'), ('b')");
    EXPECT_THROW(
        connection_->query(
            {.sql = "SELECT ID_ FROM NOTE", .columns = 1},
            {},
            [](const Row&) { throw std::runtime_error("enough"); }
        ),
        std::runtime_error
    );
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "2");
}

TEST_F(PostgresqlConnectionTest, An_error_says_what_was_attempted_and_not_with_which_values) {
    const std::string text = error_of([&] {
                                 execute(
                                     "INSERT INTO NOTE (ID_, TEXT_)\n VALUES (?, ?)",
                                     {Value{std::string_view("id")}, Value{std::string(256, 's')}}
                                 );
                             }).what();
    EXPECT_EQ(
        text,
        "INSERT INTO NOTE (ID_, TEXT_) VALUES (?, ?): value too long for type character "
        "varying(255) (22001)"
    );
    EXPECT_EQ(
        std::string(error_of([&] {
                        execute("INSERT INTO NOTE (ID_) VALUES (?), (?)", {Value{"k"}, Value{"k"}});
                    }).what()),
        "INSERT INTO NOTE (ID_) VALUES (?), (?): duplicate key value violates unique constraint "
        "\"note_pkey\" (23505)"
    );
}

TEST_F(PostgresqlConnectionTest, Too_few_or_too_many_parameters_are_our_own_mistake) {
    EXPECT_THROW(execute("DELETE FROM NOTE WHERE ID_ = ?"), std::logic_error);
    EXPECT_THROW(execute("DELETE FROM NOTE", {Value{"a"}}), std::logic_error);
}

TEST_F(PostgresqlConnectionTest, A_script_may_have_a_result_that_nobody_reads) {
    connection_->run_script("SELECT 1");
    EXPECT_EQ(text_of("SELECT 2"), "2");
}

}  // namespace

}  // namespace jobstrand::test
