#include "persistence/drivers/mysql/limits_in_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>

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

TEST(LimitsInText, A_limit_that_is_no_number_and_a_missing_parameter_are_faults_of_the_program) {
    const std::span<const Value> one(kParameters.data(), 1);
    EXPECT_THROW((void)with_limits_in_text("SELECT 1 LIMIT ?", one), std::logic_error);
    EXPECT_THROW((void)with_limits_in_text("SELECT ?, ?", one), std::logic_error);
}

}  // namespace
}  // namespace jobstrand::persistence
