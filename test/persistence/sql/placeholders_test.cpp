#include "persistence/sql/statement_text.hpp"

#include <gtest/gtest.h>

namespace jobstrand::persistence {
namespace {

struct PlaceholderCase {
    std::string_view sql;
    std::size_t count;
};

TEST(Placeholders, Only_those_outside_of_texts_names_and_comments_count) {
    const std::vector<PlaceholderCase> rows{
        {"", 0},
        {"select 1", 0},
        {"select ? from T where A = ? and B in (?,?)", 4},
        {"select '?', ? from T", 1},
        {"select 'it''s ?', ?", 1},
        {"select \"A?\", `B?`, ?", 1},
        {"select ? -- why?\n, ?", 2},
        {"select ? /* ? \n ? */, ?", 2},
        {"select ? -- to the end ?", 1},
        {"select 'never closed ?", 0},
        {"select 3 - ? / ?", 2},
    };
    for (const PlaceholderCase& row : rows) {
        EXPECT_EQ(count_placeholders(row.sql), row.count) << row.sql;
    }
}

TEST(Placeholders, Get_numbers_where_the_driver_wants_them) {
    EXPECT_EQ(
        number_placeholders("select '?', ? from \"A?\" -- ?\n where B in (?, ?) /* ? */", '$'),
        "select '?', $1 from \"A?\" -- ?\n where B in ($2, $3) /* ? */"
    );
    EXPECT_EQ(number_placeholders("", '$'), "");
}

TEST(SqlSummary, Is_one_short_line) {
    EXPECT_EQ(sql_summary("\n  select ID_\n    from T\n"), "select ID_ from T");
    const std::string longest = sql_summary("insert into T values " + std::string(500, '?'));
    EXPECT_EQ(longest.size(), 123U);
    EXPECT_TRUE(longest.ends_with("???..."));
}

}  // namespace
}  // namespace jobstrand::persistence
