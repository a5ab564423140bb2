#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::DbErrorKind;
using persistence::Query;
using persistence::Row;
using persistence::Value;

/// How a server says what it does with statements.
struct StatementWords {
    Query prepared;  ///< Those of the session, in the last column; MySQL counts closed ones too.
    Query open;
    int most_open = 0;  ///< What we keep, and what this question and others need.
    std::string_view too_long;
};

constexpr StatementWords kMysqlWords{
    .prepared = {.sql = "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'", .columns = 2},
    .open = {.sql = "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'", .columns = 2},
    .most_open = 140,
    .too_long = "Data too long for column 'TEXT_' at row 1 (1406)"};
constexpr Query kPostgresqlStatements{
    .sql = "SELECT COUNT(*) FROM pg_prepared_statements",
    .columns = 1};
constexpr StatementWords kPostgresqlWords{
    .prepared = kPostgresqlStatements,
    .open = kPostgresqlStatements,
    .most_open = 260,
    .too_long = "value too long for type character varying(255) (22001)"};

/// What connections to servers promise beyond connection_test.cpp: statements are kept within a
/// bound, and texts do not become longer than their columns.
class ServerConnectionTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }

    [[nodiscard]] int count(Query query) {
        int number = -1;
        connection_->query(query, {}, [&](const Row& row) {
            number = static_cast<int>(row.integer(query.columns - 1));
        });
        return number;
    }

    const StatementWords& words_ = GetParam() == "mysql" ? kMysqlWords : kPostgresqlWords;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    ServerConnectionTest,
    testing::ValuesIn(kEveryServer),
    name_of_database
);

TEST_P(ServerConnectionTest, A_statement_is_prepared_once) {
    execute("UPDATE NOTE SET NUMBER_ = ?", {Value{std::int64_t{1}}});
    const int before = count(words_.prepared);
    for (std::int64_t i = 0; i < 10; ++i) {
        execute("UPDATE NOTE SET NUMBER_ = ?", {Value{i}});
    }
    EXPECT_EQ(count(words_.prepared), before);
}

TEST_P(ServerConnectionTest, The_statement_that_was_not_used_for_longest_is_closed) {
    const std::string_view often = "SELECT 'often'";
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(text_of(fmt::format("SELECT {}", i)), std::to_string(i));
        EXPECT_EQ(text_of(often), "often");
    }
    EXPECT_LE(count(words_.open), words_.most_open);
}

TEST_P(ServerConnectionTest, A_text_that_its_column_cannot_hold_leaves_a_good_statement) {
    const std::string_view insert = "INSERT INTO NOTE (ID_, TEXT_) VALUES (?, ?)";
    const std::string large(300'000, 'x');
    EXPECT_EQ(
        error_of([&] {
            execute(insert, {Value{"a"}, Value{large}});
        }).kind(),
        DbErrorKind::too_long
    );
    EXPECT_EQ(execute(insert, {Value{"a"}, Value{"text"}}), 1);
}

TEST_P(ServerConnectionTest, An_error_says_what_was_attempted_and_not_with_which_values) {
    const std::string secret(256, 's');
    const auto error = error_of([&] {
        execute("INSERT INTO NOTE (ID_, TEXT_)\n VALUES (?, ?)", {Value{"id"}, Value{secret}});
    });
    EXPECT_EQ(
        std::string(error.what()),
        fmt::format("INSERT INTO NOTE (ID_, TEXT_) VALUES (?, ?): {}", words_.too_long)
    );
}

}  // namespace

}  // namespace jobstrand::test
