#include "persistence/drivers/postgresql/postgresql_backend.hpp"
#include "persistence/sql/many_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace jobstrand::persistence {
namespace {

using testing::ElementsAre;

TEST(ManyValues, A_long_list_of_placeholders_is_one_array) {
    const std::string list = with_list_size("(...)", 16);
    const auto [sql, sizes] =
        name_parameters("update T set A_ = ? where B_ IN " + list + " and C_ = ?");
    EXPECT_EQ(sql, "update T set A_ = :1 where B_ = ANY (:2) and C_ = :3");
    EXPECT_THAT(sizes, ElementsAre(1, 16, 1));
}

struct KeptCase {
    std::string before;
    std::size_t list;
    std::string behind;
};

TEST(ManyValues, Other_lists_stay) {
    const std::vector<KeptCase> rows{
        {"A_ IN ", 15, ""},
        {"A_ NOT IN ", 16, ""},
        {"values ", 16, ""},
        {"'A_ IN ", 16, "'"},
    };
    for (const KeptCase& row : rows) {
        const auto [sql, sizes] =
            name_parameters(row.before + with_list_size("(...)", row.list) + row.behind);
        EXPECT_EQ(sql.find("ANY"), std::string::npos) << sql;
        EXPECT_EQ(sizes.size(), row.before.starts_with('\'') ? 0U : row.list) << sql;
    }
    std::string of_app = "A_ IN (?";
    for (int i = 1; i < 20; ++i) {
        of_app += ", ?";
    }
    EXPECT_EQ(name_parameters(of_app + ")").sizes.size(), 20U) << "it may be of any type";
}

TEST(ManyValues, Elements_of_an_array_stand_in_quotes) {
    const std::array<Value, 5> values{
        Value{"a"}, Value{"b\"c\\d"}, Value{}, Value{std::int64_t{-7}}, Value{""}};
    EXPECT_EQ(array_of(values), R"({"a","b\"c\\d",NULL,"-7",""})");
}

TEST(ManyValues, Rows_of_a_copy_leave_out_columns_that_none_uses) {
    constexpr std::array<std::string_view, 4> kColumns{"ID_", "NONE_", "BYTES_", "FLAG_"};
    NewRows rows{.table = "T", .columns = kColumns};
    rows.values = {
        Value{"a\tb"}, Value{}, Value{"x\n"}, Value{true}, Value{"c\\"}, Value{}, Value{}, Value{}};
    const std::vector<std::size_t> named = named_columns(rows, rows.values);
    EXPECT_EQ(copy_statement(rows, named), "COPY T (ID_, BYTES_, FLAG_) FROM STDIN");
    std::string text;
    append_copied_row(text, rows, 0, named);
    append_copied_row(text, rows, 1, named);
    EXPECT_EQ(text, "a\\\tb\t\\\\x780a\t1\nc\\\\\t\\N\t\\N\n");
    EXPECT_FALSE(are_worth_a_copy(rows));
}

}  // namespace
}  // namespace jobstrand::persistence
