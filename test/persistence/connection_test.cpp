#include "persistence/sql/many_rows.hpp"
#include "schema/time.hpp"
#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using persistence::NewRows;
using schema::TimePoint;

/// What every connection promises, on an empty table NOTE.
class ConnectionTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }

    /// The milliseconds of TIME_ since 1970, as SQL that takes no zone into account.
    [[nodiscard]] static std::string_view epoch_of_time() {
        if (GetParam() == "sqlite") {
            return "CAST(ROUND((JULIANDAY(TIME_) - 2440587.5) * 86400000) AS integer)";
        }
        return GetParam() == "mysql" ? "CAST(UNIX_TIMESTAMP(TIME_) * 1000 AS SIGNED)"
                                     : "(EXTRACT(EPOCH FROM TIME_) * 1000)::bigint";
    }
};

ON_EVERY_DATABASE(ConnectionTest);

TEST_P(ConnectionTest, Every_kind_of_value_comes_back_as_it_went_in) {
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

TEST_P(ConnectionTest, Numbers_with_a_fraction_come_back_exactly) {
    connection_->run_script("CREATE TABLE MEASURE (ID_ bigint, REAL_ double precision)");
    const std::vector<double> numbers{0.1, -1.0 / 3, 1e300, 5e-324, 0.0, 4.0};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        execute(
            "INSERT INTO MEASURE VALUES (?, ?)",
            {Value{static_cast<std::int64_t>(i)}, Value{numbers[i]}}
        );
    }
    execute("INSERT INTO MEASURE VALUES (99, ?)", {Value{nullptr}});
    std::vector<double> found;
    connection_->query(
        {.sql = "SELECT REAL_ FROM MEASURE ORDER BY ID_", .columns = 1},
        {},
        [&](const Row& row) {
            found.push_back(row.real(0));
            EXPECT_EQ(row.is_null(0), found.size() > numbers.size());
        }
    );
    ASSERT_EQ(found.size(), numbers.size() + 1);
    EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), found.begin()));
    EXPECT_EQ(found.back(), 0);
}

TEST_P(ConnectionTest, Bytes_come_back_as_they_went_in) {
    std::string all;
    for (int byte = 0; byte < 256; ++byte) {
        all.push_back(static_cast<char>(byte));
    }
    const std::string_view type = GetParam() == "postgresql" ? "bytea" : "longblob";
    connection_->run_script(fmt::format("CREATE TABLE PICTURE (ID_ bigint, BYTES_ {})", type));
    for (const std::string& bytes : {all, std::string("short"), std::string(), all + all}) {
        execute("DELETE FROM PICTURE");
        execute(
            "INSERT INTO PICTURE VALUES (?, ?)",
            {Value{std::int64_t{1}}, Value{std::as_bytes(std::span(bytes))}}
        );
        execute("INSERT INTO PICTURE VALUES (?, ?)", {Value{std::int64_t{2}}, Value{nullptr}});
        std::vector<std::string> found;
        connection_->query(
            {.sql = "SELECT BYTES_ FROM PICTURE ORDER BY ID_", .columns = 1},
            {},
            [&](const Row& row) {
                const persistence::Bytes read = row.blob(0);
                found.emplace_back(reinterpret_cast<const char*>(read.data()), read.size());
                EXPECT_EQ(row.is_null(0), found.size() == 2);
            }
        );
        EXPECT_THAT(found, ElementsAre(bytes, ""));
    }
}

TEST_P(ConnectionTest, A_column_that_was_not_selected_is_refused_in_words) {
    execute("INSERT INTO NOTE (ID_, NUMBER_) VALUES ('a', 1)");
    const auto read_column = [&](std::size_t columns, std::size_t column) {
        connection_->query(
            {.sql = "SELECT ID_, NUMBER_ FROM NOTE", .columns = columns},
            {},
            [&](const Row& row) { (void)row.text(column); }
        );
    };
    for (const std::size_t columns : {std::size_t{0}, std::size_t{2}}) {
        EXPECT_NO_THROW(read_column(columns, 1));
        try {
            read_column(columns, 2);
            ADD_FAILURE() << "the column was read";
        } catch (const std::logic_error& error) {
            EXPECT_STREQ(
                error.what(), "column 2 was read, but the statement selects 2: columns count from 0"
            );
        }
    }
    EXPECT_NO_THROW(read_column(0, 1)) << "the connection is as good as before";
}

TEST_P(ConnectionTest, Null_reads_as_nothing) {
    execute("INSERT INTO NOTE VALUES (?, ?, ?, ?, ?, ?)", {Value{"a"}, {}, nullptr, {}, {}, {}});
    read_note("a", [&](const Row& row) {
        for (std::size_t column = 0; column < 5; ++column) {
            EXPECT_TRUE(row.is_null(column));
            EXPECT_EQ(row.text(column), "");
            EXPECT_EQ(row.integer(column), 0);
            EXPECT_FALSE(row.boolean(column));
        }
        EXPECT_EQ(row.time(3), std::nullopt);
    });
}

TEST_P(ConnectionTest, The_same_statement_takes_other_types_in_the_next_run) {
    const std::string_view insert = "INSERT INTO NOTE (ID_, TEXT_, NUMBER_) VALUES (?, ?, ?)";
    execute(insert, {Value{"a"}, Value{"text"}, Value{std::int64_t{1}}});
    execute(insert, {Value{"b"}, Value{}, Value{"2"}});
    execute(insert, {Value{"c"}, Value{std::int64_t{3}}, Value{}});
    EXPECT_THAT(texts_of("SELECT TEXT_ FROM NOTE ORDER BY ID_"), ElementsAre("text", "", "3"));
    EXPECT_THAT(texts_of("SELECT NUMBER_ FROM NOTE ORDER BY ID_"), ElementsAre("1", "2", ""));
}

TEST_P(ConnectionTest, Characters_of_up_to_four_bytes_survive) {
    const std::string text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
    execute("INSERT INTO NOTE (ID_, TEXT_) VALUES ('a', ?)", {Value{text}});
    read_note("a", [&](const Row& row) { EXPECT_EQ(row.text(0), text); });
    EXPECT_EQ(text_of("SELECT ID_ FROM NOTE WHERE TEXT_ LIKE '____'"), "a");
    EXPECT_EQ(text_of("SELECT ID_ FROM NOTE WHERE TEXT_ = ?", {Value{text}}), "a");
}

TEST_P(ConnectionTest, A_text_of_eight_megabytes_survives) {
    std::string text(8 * 1024 * 1024, 'x');
    text.back() = 'y';
    execute("INSERT INTO NOTE (ID_, LONG_) VALUES ('a', ?)", {Value{text}});
    read_note("a", [&](const Row& row) { EXPECT_TRUE(row.text(4) == text); });
}

TEST_P(ConnectionTest, Times_are_utc_whatever_the_zones_of_server_and_process) {
    ::setenv("TZ", "America/New_York", 1);
    ::tzset();
    // Not on a clock that is put forward in New York at this instant.
    const TimePoint time =
        std::chrono::sys_days(std::chrono::year{2026} / 3 / 8) + 7h + 30min + 1ms;
    execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}});
    EXPECT_EQ(
        text_of(fmt::format("SELECT {} FROM NOTE", epoch_of_time())),
        std::to_string(time.time_since_epoch().count())
    );
    EXPECT_EQ(text_of("SELECT CAST(TIME_ AS CHAR(23)) FROM NOTE"), "2026-03-08 07:30:00.001");
    read_note("a", [&](const Row& row) { EXPECT_EQ(row.time(3), time); });
    ::unsetenv("TZ");
    ::tzset();
}

TEST_P(ConnectionTest, Every_millisecond_survives_and_is_compared) {
    for (const int millis : {0, 1, 9, 10, 99, 100, 500, 999}) {
        const TimePoint time = TimePoint{1'800'000'000s} + std::chrono::milliseconds(millis);
        execute("DELETE FROM NOTE");
        execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}});
        read_note("a", [&](const Row& row) { EXPECT_EQ(row.time(3), time); });
        EXPECT_EQ(text_of("SELECT ID_ FROM NOTE WHERE TIME_ <= ?", {Value{time}}), "a");
        EXPECT_EQ(text_of("SELECT ID_ FROM NOTE WHERE TIME_ <= ?", {Value{time - 1ms}}), "");
    }
}

TEST_P(ConnectionTest, A_time_that_no_database_holds_is_refused) {
    const TimePoint time = std::chrono::sys_days(std::chrono::year{12'000} / 1 / 1);
    expect_error(DbErrorKind::too_long, [&] {
        execute("INSERT INTO NOTE (ID_, TIME_) VALUES ('a', ?)", {Value{time}});
    });
}

TEST_P(ConnectionTest, A_page_of_rows_is_inserted_in_one_statement) {
    constexpr std::size_t kRows = 512;
    constexpr std::size_t kColumns = 34;
    std::string columns = "ID_ varchar(64) PRIMARY KEY";
    std::string one = "(?";
    for (std::size_t i = 1; i < kColumns; ++i) {
        columns += fmt::format(", C{} varchar(20)", i);
        one += ",?";
    }
    one += ")";
    connection_->run_script("CREATE TABLE WIDE (" + columns + ")");
    std::string placeholders;
    std::vector<std::string> ids;
    for (std::size_t i = 0; i < kRows; ++i) {
        ids.push_back(fmt::format("id-{:04}", i));
        placeholders += (i == 0 ? "" : ", ") + one;
    }
    std::vector<Value> values;
    for (const std::string& id : ids) {
        values.insert(values.end(), kColumns, Value{std::string_view(id)});
    }
    const std::string insert = "INSERT INTO WIDE VALUES " + placeholders;
    EXPECT_EQ(connection_->execute(insert, values), std::int64_t{kRows});
    EXPECT_EQ(text_of("SELECT MAX(C33) FROM WIDE"), "id-0511");
}

TEST_P(ConnectionTest, Execute_counts_the_rows_that_it_inserted_found_and_deleted) {
    EXPECT_EQ(execute("INSERT INTO NOTE (ID_) VALUES (?), (?), (?)", {"a", "b", "c"}), 3);
    const std::string_view update = "UPDATE NOTE SET NUMBER_ = ? WHERE ID_ IN (?, ?)";
    EXPECT_EQ(execute(update, {std::int64_t{2}, "a", "b"}), 2);
    // The rows are found, though they are as they should become.
    EXPECT_EQ(execute(update, {std::int64_t{2}, "a", "b"}), 2);
    EXPECT_EQ(execute(update, {std::int64_t{2}, "x", "y"}), 0);
    EXPECT_EQ(execute("DELETE FROM NOTE"), 3);
    EXPECT_EQ(execute("DELETE FROM NOTE"), 0);
}

TEST_P(ConnectionTest, A_query_without_rows_calls_nobody) {
    const Value nobody{"x"};
    connection_->query(
        {.sql = "SELECT ID_ FROM NOTE WHERE ID_ = ?", .columns = 1},
        {&nobody, 1},
        [](const Row&) { FAIL(); }
    );
}

TEST_P(ConnectionTest, The_same_text_can_be_asked_for_more_columns) {
    const std::string_view sql = "SELECT 1, 2";
    connection_->query({.sql = sql, .columns = 1}, {}, [](const Row& row) {
        EXPECT_EQ(row.integer(0), 1);
    });
    connection_->query({.sql = sql, .columns = 2}, {}, [](const Row& row) {
        EXPECT_EQ(row.integer(1), 2);
    });
}

TEST_P(ConnectionTest, A_missing_table_or_column_says_so) {
    for (const std::string_view sql :
         {"DELETE FROM NOWHERE",
          "SELECT MISSING_ FROM NOTE",
          "DELETE FROM NOTE WHERE MISSING_ = 1",
          "INSERT INTO NOTE (MISSING_) VALUES (1)"}) {
        SCOPED_TRACE(sql);
        expect_error(DbErrorKind::schema_missing, [&] { execute(sql); });
    }
    expect_error(DbErrorKind::schema_missing, [&] {
        execute("SELECT ? FROM NOWHERE", {Value{"a"}});
    });
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(ConnectionTest, A_failed_statement_leaves_a_good_connection) {
    const std::string_view insert = "INSERT INTO NOTE (ID_) VALUES (?)";
    execute(insert, {Value{"a"}});
    expect_error(DbErrorKind::duplicate_key, [&] { execute(insert, {Value{"a"}}); });
    expect_error(DbErrorKind::other, [&] { connection_->run_script("NONSENSE"); });
    EXPECT_TRUE(connection_->is_usable());
    EXPECT_EQ(execute(insert, {Value{"b"}}), 1);
}

TEST_P(ConnectionTest, A_reader_that_throws_leaves_nothing_open) {
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
    // An open statement would keep the table from being dropped.
    connection_->run_script("DROP TABLE NOTE");
}

TEST_P(ConnectionTest, Too_few_or_too_many_parameters_are_our_own_mistake) {
    EXPECT_THROW(execute("DELETE FROM NOTE WHERE ID_ = ?"), std::logic_error);
    EXPECT_THROW(execute("DELETE FROM NOTE", {Value{"a"}}), std::logic_error);
}

TEST_P(ConnectionTest, A_script_may_have_a_result_that_nobody_reads) {
    connection_->run_script("SELECT 1");
    EXPECT_EQ(text_of("SELECT 2"), "2");
}

TEST_P(ConnectionTest, Rolling_back_without_a_transaction_does_no_harm) {
    connection_->rollback();
    EXPECT_TRUE(connection_->is_usable());
    EXPECT_EQ(text_of("SELECT 2"), "2");
}

constexpr std::array<std::string_view, 5> kNoteColumns{"ID_", "TEXT_", "NUMBER_", "FLAG_", "TIME_"};
constexpr schema::TimePoint kTime{1'700'000'000'123ms};

/// So many rows that some connections have a way of their own for them, of texts that such a way
/// may take for something else.
class NewRowsTest : public AdapterTest {
protected:
    void prepare() override {
        create_note_table();
        for (std::size_t i = 0; i < 10; ++i) {
            for (const std::string_view text : kTexts) {
                texts_.push_back(std::string(text));
                ids_.push_back(fmt::format("{}-{}", i, text));
            }
        }
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            rows_.values.insert(
                rows_.values.end(),
                {ids_[i],
                 texts_[i].empty() ? Value{} : Value{texts_[i]},
                 static_cast<std::int64_t>(i) - 100,
                 i % 2 == 0,
                 kTime + std::chrono::milliseconds(i)}
            );
        }
    }

    static constexpr std::array<std::string_view, 16> kTexts{
        "",
        "\\N",
        "\\.",
        "\\",
        "\t",
        "\n",
        "\r\n",
        "a\\tb",
        "'",
        "\"",
        "{\"a\",b}",
        "NULL",
        ",",
        "€𝄞",
        " at both ends ",
        "?"};

    std::vector<std::string> ids_;
    std::vector<std::string> texts_;
    NewRows rows_{.table = "NOTE", .columns = kNoteColumns};
};

ON_EVERY_DATABASE(NewRowsTest);

TEST_P(NewRowsTest, Come_back_as_they_went_in) {
    Transaction transaction(*connection_);
    insert_all(transaction, rows_);
    transaction.commit();
    for (std::size_t i = 0; i < ids_.size(); ++i) {
        read_note(ids_[i], [&](const Row& row) {
            EXPECT_EQ(row.is_null(0), texts_[i].empty());
            EXPECT_EQ(row.text(0), texts_[i]);
            EXPECT_EQ(row.integer(1), static_cast<std::int64_t>(i) - 100);
            EXPECT_EQ(row.boolean(2), i % 2 == 0);
            EXPECT_EQ(row.time(3), kTime + std::chrono::milliseconds(i));
        });
    }
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), std::to_string(ids_.size()));
}

TEST_P(NewRowsTest, Are_found_by_a_list_of_their_ids) {
    Transaction transaction(*connection_);
    insert_all(transaction, rows_);
    const std::vector<std::string_view> ids(ids_.begin(), ids_.end());
    std::vector<std::string> found;
    for (const auto& [sql, values] :
         persistence::cut_id_list("SELECT ID_ FROM NOTE WHERE ID_ IN (...)", {.ids = ids})) {
        transaction.query({.sql = sql, .columns = 1}, values, [&](const Row& row) {
            found.emplace_back(row.text(0));
        });
    }
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(ids_));
}

TEST_P(NewRowsTest, Of_which_one_is_there_already_are_refused_as_by_a_statement) {
    execute("INSERT INTO NOTE (ID_) VALUES (?)", {Value{ids_[77]}});
    Transaction transaction(*connection_);
    const DbError error = error_of([&] { insert_all(transaction, rows_); });
    EXPECT_EQ(error.kind(), DbErrorKind::duplicate_key);
    EXPECT_EQ(std::string_view(error.what()).find(ids_[77]), std::string_view::npos)
        << "what stands in a row is nobody's business: " << error.what();
    transaction.rollback();
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM NOTE"), "1");
    EXPECT_TRUE(connection_->is_usable());
}

TEST_P(NewRowsTest, For_a_table_that_is_not_there_name_it) {
    rows_.table = "NOTE_OF_NOBODY";
    Transaction transaction(*connection_);
    expect_error(DbErrorKind::schema_missing, [&] { insert_all(transaction, rows_); });
    transaction.rollback();
    EXPECT_TRUE(connection_->is_usable());
}

}  // namespace

}  // namespace jobstrand::test
