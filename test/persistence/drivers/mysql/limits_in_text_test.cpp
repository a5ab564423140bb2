#include "persistence/drivers/mysql/limits_in_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace jobstrand::persistence {
namespace {

constexpr std::array<Value, 3> kParameters{
    Value{std::string_view("a")},
    Value{std::int64_t{7}},
    Value{std::int64_t{8}}};

TEST(LimitsInText, Numbers_behind_LIMIT_and_OFFSET_stand_in_the_text_and_the_others_stay) {
    const auto plain =
        with_limits_in_text("select '?' from T where A = ? limit\n LIMIT ?  OFFSET ?", kParameters);
    EXPECT_EQ(plain.sql, "select '?' from T where A = ? limit\n LIMIT 7  OFFSET 8");
    ASSERT_EQ(plain.parameters.size(), 1U);
    EXPECT_EQ(std::get<std::string_view>(plain.parameters.front()), "a");
}

TEST(LimitsInText, A_statement_without_any_stays_as_it_is) {
    const std::string_view sql = "UPDATE T SET A = ?, B = ? WHERE C = ? -- LIMIT ?";
    const auto plain = with_limits_in_text(sql, kParameters);
    EXPECT_EQ(plain.sql, sql);
    EXPECT_EQ(plain.parameters.size(), kParameters.size());
}

TEST(LimitsInText, Apps_write_it_in_their_own_way) {
    for (const std::string_view limit :
         {"limit ?, ?", "Limit\n? offset ?", "LIMIT ? , ?", "limit ? OFFSET\t?"}) {
        const auto plain = with_limits_in_text(
            std::string("select 1 from T where LIMITED_ = ? ") + std::string(limit), kParameters
        );
        EXPECT_EQ(plain.parameters.size(), 1U) << plain.sql;
    }
    const auto plain = with_limits_in_text("VALUES (?, ?), (NO_LIMIT ?)", kParameters);
    EXPECT_EQ(plain.parameters.size(), kParameters.size()) << plain.sql;
}

TEST(LimitsInText, What_is_not_understood_stays_as_it_is) {
    const std::string_view sql = R"(SELECT 'it\'s' FROM T WHERE A = ? LIMIT ?)";
    const auto plain = with_limits_in_text(sql, std::span(kParameters).first(2));
    EXPECT_EQ(plain.sql, sql);
    EXPECT_EQ(plain.parameters.size(), 2U);
}

}  // namespace
}  // namespace jobstrand::persistence
