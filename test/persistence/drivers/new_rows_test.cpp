#include "persistence/sql/many_rows.hpp"
#include "schema/time.hpp"
#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::DbError;
using persistence::DbErrorKind;
using persistence::NewRows;
using persistence::Row;
using persistence::Transaction;
using persistence::Value;

constexpr std::array<std::string_view, 5> kColumns{"ID_", "TEXT_", "NUMBER_", "FLAG_", "TIME_"};
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
    NewRows rows_{.table = "NOTE", .columns = kColumns};
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    NewRowsTest,
    testing::ValuesIn(kEveryDatabase),
    name_of_database
);

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
    const DbError error = error_of([&] { insert_all(transaction, rows_); });
    EXPECT_EQ(error.kind(), DbErrorKind::schema_missing);
    transaction.rollback();
    EXPECT_TRUE(connection_->is_usable());
}

}  // namespace

}  // namespace jobstrand::test
