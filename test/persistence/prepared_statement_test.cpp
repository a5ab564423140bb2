#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>

namespace jobstrand::test {

namespace {

using persistence::DbErrorKind;
using persistence::Query;
using persistence::Row;
using persistence::Value;

/// Where a server says how many statements it has prepared, in the last column.
struct StatementCounts {
    Query of_session;  ///< MySQL counts those that it has closed as well.
    Query open;
    int most_open = 0;  ///< What we keep, and what this question and others need.
};

constexpr StatementCounts kMysql{
    .of_session = {.sql = "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'", .columns = 2},
    .open = {.sql = "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'", .columns = 2},
    .most_open = 140};
constexpr Query kPostgresqlStatements{
    .sql = "SELECT COUNT(*) FROM pg_prepared_statements",
    .columns = 1};
constexpr StatementCounts kPostgresql{
    .of_session = kPostgresqlStatements,
    .open = kPostgresqlStatements,
    .most_open = 260};

/// The statements that a server keeps for a connection.
class PreparedStatementTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }

    [[nodiscard]] int count(Query query) {
        int number = -1;
        connection_->query(query, {}, [&](const Row& row) {
            number = static_cast<int>(row.integer(query.columns - 1));
        });
        return number;
    }

    const StatementCounts& counts_ = GetParam() == DatabaseKind::mysql ? kMysql : kPostgresql;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    PreparedStatementTest,
    testing::ValuesIn(kEveryServer),
    name_of_kind
);

TEST_P(PreparedStatementTest, A_statement_is_prepared_once) {
    execute("UPDATE NOTE SET NUMBER_ = ?", {Value{std::int64_t{1}}});
    const int before = count(counts_.of_session);
    for (std::int64_t i = 0; i < 10; ++i) {
        execute("UPDATE NOTE SET NUMBER_ = ?", {Value{i}});
    }
    EXPECT_EQ(count(counts_.of_session), before);
}

TEST_P(PreparedStatementTest, The_statement_that_was_not_used_for_longest_is_closed) {
    const std::string_view often = "SELECT 'often'";
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(text_of(fmt::format("SELECT {}", i)), std::to_string(i));
        EXPECT_EQ(text_of(often), "often");
    }
    EXPECT_LE(count(counts_.open), counts_.most_open);
}

TEST_P(PreparedStatementTest, A_text_that_its_column_cannot_hold_leaves_a_good_statement) {
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

}  // namespace

}  // namespace jobstrand::test
