#include "persistence/drivers/soci/soci_connection.hpp"

#include "persistence/drivers/sqlite/sqlite_database.hpp"
#include "test/fixtures/error_of.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>

namespace jobstrand::persistence {

namespace {

std::unique_ptr<Connection> open(const test::TemporaryDirectory& directory) {
    return open_sqlite(
        {.path = directory.path() / "notes.db", .synchronous = "off", .create_if_missing = true},
        SessionPool::Access::write
    );
}

/// What SOCI and SQLite do beyond what connection_test.cpp asks of every connection.
class SociConnectionTest : public testing::Test {
protected:
    SociConnectionTest() {
        connection_->run_script(
            "CREATE TABLE NOTE (ID_ varchar(64) NOT NULL PRIMARY KEY, TEXT_ text, NUMBER_ bigint,"
            " FLAG_ boolean, TIME_ timestamp, BYTES_ blob)"
        );
    }

    std::int64_t execute(std::string_view sql, std::initializer_list<Value> parameters = {}) {
        return connection_->execute(sql, {parameters.begin(), parameters.size()});
    }

    void query(Query query, std::initializer_list<Value> parameters, const RowReader& read) {
        connection_->query(query, {parameters.begin(), parameters.size()}, read);
    }

    std::int64_t count() {
        std::int64_t rows = -1;
        query({.sql = "SELECT count(*) FROM NOTE", .columns = 1}, {}, [&](const Row& row) {
            rows = row.integer(0);
        });
        return rows;
    }

    /// The column as text; nullopt for NULL.
    std::optional<std::string> stored(std::string_view column, std::string_view id) {
        std::optional<std::string> text;
        const std::string sql = "SELECT " + std::string(column) + " FROM NOTE WHERE ID_ = ?";
        query({.sql = sql, .columns = 1}, {Value{id}}, [&](const Row& row) {
            text = row.is_null(0) ? std::nullopt : std::optional(std::string(row.text(0)));
        });
        return text;
    }

    void insert_text(std::string_view id, std::string_view text) {
        execute("INSERT INTO NOTE (ID_, TEXT_) VALUES (?, ?)", {Value{id}, Value{text}});
    }

    test::TemporaryDirectory directory_;
    std::unique_ptr<Connection> connection_ = open(directory_);
};

TEST_F(SociConnectionTest, Values_are_stored_in_the_types_of_sqlite) {
    execute(
        "INSERT INTO NOTE VALUES (?, ?, ?, ?, ?, NULL)",
        {"a", "12", std::int64_t{12}, true, schema::TimePoint{}}
    );
    EXPECT_EQ(stored("typeof(TEXT_)", "a"), "text");
    EXPECT_EQ(stored("typeof(NUMBER_)", "a"), "integer");
    EXPECT_EQ(stored("FLAG_", "a"), "1");
    EXPECT_EQ(stored("TIME_", "a"), "1970-01-01 00:00:00.000");
}

TEST_F(SociConnectionTest, Numbers_are_numbers_in_expressions_too) {
    query(
        {.sql = "SELECT ? + 1, 9 < ?, typeof(?)", .columns = 3},
        {std::int64_t{41}, std::int64_t{10}, std::int64_t{0}},
        [](const Row& row) {
            EXPECT_EQ(row.integer(0), 42);
            EXPECT_TRUE(row.boolean(1));
            EXPECT_EQ(row.text(2), "integer");
        }
    );
}

TEST_F(SociConnectionTest, The_largest_and_smallest_integers_survive) {
    for (const std::int64_t number : {INT64_MIN, std::int64_t{0}, INT64_MAX}) {
        query({.sql = "SELECT ?", .columns = 1}, {number}, [number](const Row& row) {
            EXPECT_EQ(row.integer(0), number);
        });
    }
}

TEST_F(SociConnectionTest, A_parameter_may_change_its_type_from_run_to_run) {
    const auto type_of = [this](const Value& value) {
        std::string type;
        query({.sql = "SELECT typeof(?)", .columns = 1}, {value}, [&type](const Row& row) {
            type = row.text(0);
        });
        return type;
    };
    EXPECT_EQ(type_of({}), "null");
    EXPECT_EQ(type_of(std::int64_t{1}), "integer");
    EXPECT_EQ(type_of({}), "null");
    EXPECT_EQ(type_of("text"), "text");
    EXPECT_EQ(type_of(true), "integer");
    EXPECT_EQ(type_of(schema::TimePoint{}), "text");
}

TEST_F(SociConnectionTest, Texts_survive_whatever_is_in_them) {
    const std::vector<std::string> texts{
        "",
        "it's \"quoted\" ? :x -- /*",
        "four bytes: \U0001F680",
        std::string("a\0b\0", 4),
        std::string(1, '\0'),
        "line\nbreak\ttab",
        std::string(3'000'000, 'x'),
    };
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::string id = std::to_string(i);
        insert_text(id, texts[i]);
        EXPECT_EQ(stored("TEXT_", id), texts[i]) << i;
    }
}

TEST_F(SociConnectionTest, Bytes_that_another_program_stored_are_read_whole) {
    connection_->run_script("INSERT INTO NOTE (ID_, BYTES_) VALUES ('a', x'00ff00'), ('b', x'')");
    EXPECT_EQ(stored("BYTES_", "a"), std::string("\0\xff\0", 3));
    EXPECT_EQ(stored("BYTES_", "b"), "");
}

TEST_F(SociConnectionTest, A_value_that_is_not_what_it_is_read_as_is_an_error) {
    insert_text("a", "tomorrow");
    const Query query{.sql = "SELECT TEXT_ FROM NOTE", .columns = 1};
    const auto expect_unreadable = [&](const char* what, void (*read)(const Row&)) {
        test::expect_error(
            DbErrorKind::unreadable,
            std::string("\"tomorrow\" is not ") + what,
            [&] { connection_->query(query, {}, read); }
        );
    };
    expect_unreadable("a time", [](const Row& row) { (void)row.time(0); });
    expect_unreadable("an integer", [](const Row& row) { (void)row.integer(0); });
    expect_unreadable("a truth value", [](const Row& row) { (void)row.boolean(0); });
}

TEST_F(SociConnectionTest, An_empty_text_is_no_number_but_NULL_reads_as_0) {
    insert_text("a", "");
    const Query query{.sql = "SELECT TEXT_, NULL FROM NOTE", .columns = 2};
    connection_->query(query, {}, [](const Row& row) {
        EXPECT_THROW((void)row.integer(0), DbError);
        EXPECT_THROW((void)row.boolean(0), DbError);
        EXPECT_EQ(row.integer(1), 0);
        EXPECT_FALSE(row.boolean(1));
    });
}

TEST_F(SociConnectionTest, A_truth_value_may_be_a_word_or_a_number) {
    struct Case {
        std::string_view text;
        bool value;
    };
    for (const auto& [text, value] :
         {Case{"0", false},
          Case{"1", true},
          Case{"2", true},
          Case{"-1", true},
          Case{"f", false},
          Case{"t", true},
          Case{"false", false},
          Case{"true", true}}) {
        const std::array<Value, 1> parameters{text};
        connection_->query({.sql = "SELECT ?", .columns = 1}, parameters, [&](const Row& row) {
            EXPECT_EQ(row.boolean(0), value) << text;
        });
    }
}

TEST_F(SociConnectionTest, A_row_tells_bytes_from_a_text) {
    const Query query{.sql = "SELECT x'6161', 'aa', NULL, 7", .columns = 4};
    connection_->query(query, {}, [](const Row& row) {
        EXPECT_TRUE(row.is_bytes(0));
        for (const std::size_t column : {1U, 2U, 3U}) {
            EXPECT_FALSE(row.is_bytes(column)) << column;
        }
        EXPECT_EQ(row.text(0), row.text(1));
    });
}

TEST_F(SociConnectionTest, A_query_can_change_rows_and_return_them) {
    execute("INSERT INTO NOTE (ID_, NUMBER_) VALUES (?, ?), (?, ?)", {"a", true, "b", false});
    std::vector<std::string> ids;
    query(
        {.sql = "UPDATE NOTE SET NUMBER_ = NUMBER_ + 1 RETURNING ID_", .columns = 1},
        {},
        [&ids](const Row& row) { ids.emplace_back(row.text(0)); }
    );
    EXPECT_EQ(ids, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(stored("NUMBER_", "a"), "2");
}

TEST_F(SociConnectionTest, A_second_row_with_a_key_is_a_duplicate) {
    insert_text("a", "secret");
    test::expect_error(
        DbErrorKind::duplicate_key,
        "INSERT INTO NOTE (ID_, TEXT_) VALUES (?, ?): UNIQUE constraint failed: NOTE.ID_",
        [this] { insert_text("a", "secret"); }
    );
    EXPECT_TRUE(connection_->is_usable());
    insert_text("b", "the same statement works again");
    EXPECT_EQ(count(), 2);
}

TEST_F(SociConnectionTest, A_script_runs_all_of_its_statements) {
    connection_->run_script(
        "INSERT INTO NOTE (ID_) VALUES ('a'); INSERT INTO NOTE (ID_) "
        "VALUES ('b?');"
    );
    EXPECT_EQ(count(), 2);
    test::expect_error(
        DbErrorKind::other,
        "CREATE TABLE NOTE (X_ int): table NOTE already exists",
        [this] { connection_->run_script("CREATE TABLE NOTE (X_ int)"); }
    );
}

TEST_F(SociConnectionTest, A_disk_that_is_full_says_so_and_the_transaction_can_be_rolled_back) {
    connection_->run_script("PRAGMA max_page_count = 20");
    connection_->begin();
    const std::string text(4000, 'x');
    test::expect_error(DbErrorKind::storage_full, [&] {
        for (int i = 0; i < 100; ++i) {
            insert_text(std::to_string(i), text);
        }
    });
    connection_->rollback();
    EXPECT_TRUE(connection_->is_usable());
    EXPECT_EQ(count(), 0);
}

TEST_F(SociConnectionTest, A_second_writer_waits_and_then_hears_that_it_is_busy) {
    const auto other = open(directory_);
    other->run_script("PRAGMA busy_timeout = 1");
    connection_->begin();
    test::expect_error(DbErrorKind::busy, "BEGIN IMMEDIATE: database is locked", [&] {
        other->begin();
    });
    connection_->commit();
    other->begin();
    other->rollback();
}

TEST_F(SociConnectionTest, More_statements_than_are_kept_work_all_the_same) {
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 300; ++i) {
            const std::string sql = "SELECT " + std::to_string(i) + " + ?";
            query({.sql = sql, .columns = 1}, {std::int64_t{1}}, [i](const Row& row) {
                EXPECT_EQ(row.integer(0), i + 1);
            });
        }
    }
}

}  // namespace

}  // namespace jobstrand::persistence
