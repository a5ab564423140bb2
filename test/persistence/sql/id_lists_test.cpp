#include "persistence/sql/many_rows.hpp"
#include "schema/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace jobstrand::persistence {

namespace {

using schema::limits::kIdsPerStatement;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string_view> texts(const std::vector<Value>& values) {
    std::vector<std::string_view> all;
    for (const Value& value : values) {
        all.push_back(std::get<std::string_view>(value));
    }
    return all;
}

TEST(IdLists, A_list_gets_a_placeholder_per_id) {
    EXPECT_EQ(with_list_size("ID_ IN (...) AND A = ?", 1), "ID_ IN (?) AND A = ?");
    EXPECT_EQ(with_list_size("ID_ IN (...)", 3), "ID_ IN (?, ?, ?)");
    EXPECT_TRUE(with_list_size("ID_ IN (...)", 16).starts_with("ID_ IN (/* ids */ ?, ?"));
}

TEST(IdLists, Text_without_a_list_stays_as_it_is) {
    EXPECT_EQ(with_list_size("SELECT COUNT(*) FROM T", 3), "SELECT COUNT(*) FROM T");
}

TEST(IdLists, There_are_few_sizes_and_none_is_too_small) {
    std::set<std::size_t> sizes;
    for (std::size_t count = 1; count <= kIdsPerStatement; ++count) {
        EXPECT_GE(padded_list_size(count), count);
        sizes.insert(padded_list_size(count));
    }
    EXPECT_LE(sizes.size(), 6U);
    EXPECT_EQ(padded_list_size(1), 1U);
    EXPECT_EQ(padded_list_size(kIdsPerStatement), kIdsPerStatement);
    EXPECT_EQ(padded_list_size(kIdsPerStatement + 1), kIdsPerStatement + 1);
}

TEST(IdLists, The_surplus_repeats_the_last_id_between_the_other_parameters) {
    const std::vector<std::string_view> ids{"a", "b", "c"};
    const auto statements = cut_id_list(
        "A = ? AND ID_ IN (...) AND B = ?",
        {.before = {std::string_view("before")}, .ids = ids, .after = {std::string_view("after")}}
    );
    ASSERT_EQ(statements.size(), 1U);
    EXPECT_EQ(statements[0].sql, "A = ? AND ID_ IN (?, ?, ?, ?) AND B = ?");
    EXPECT_THAT(
        texts(statements[0].parameters), ElementsAre("before", "a", "b", "c", "c", "after")
    );
}

TEST(IdLists, Every_list_of_a_statement_gets_the_same_ids) {
    const std::vector<std::string_view> ids{"a"};
    const auto statements = cut_id_list("IN (...) UNION IN (...)", {.ids = ids});
    ASSERT_EQ(statements.size(), 1U);
    EXPECT_EQ(statements[0].sql, "IN (?) UNION IN (?)");
    EXPECT_THAT(texts(statements[0].parameters), ElementsAre("a", "a"));
}

TEST(IdLists, A_long_list_is_cut_and_no_id_is_lost) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < 2 * kIdsPerStatement + 1; ++i) {
        names.push_back(std::to_string(i));
    }
    const std::vector<std::string_view> ids(names.begin(), names.end());
    const auto statements = cut_id_list("ID_ IN (...)", {.ids = ids});
    ASSERT_EQ(statements.size(), 3U);
    std::vector<std::string_view> bound;
    for (const BoundStatement& statement : statements) {
        for (const std::string_view id : texts(statement.parameters)) {
            bound.push_back(id);
        }
    }
    EXPECT_EQ(bound, ids);
}

TEST(IdLists, No_ids_need_no_statement) {
    EXPECT_THAT(cut_id_list("ID_ IN (...)", {}), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::persistence
