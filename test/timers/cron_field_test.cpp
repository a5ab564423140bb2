#include "timers/cron/cron_field.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

namespace jobstrand::timers {
namespace {

constexpr std::array<std::string_view, 7>
    kDays{"SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"};

constexpr CronField kHour{"hour", 0, 23, 24, 23};
constexpr CronField kYear{"year", 1970, 2299, 0, 0};
constexpr CronField kQuartzDay{"day of week", 1, 7, 7, 7, kDays, 1, false};
constexpr CronField kUnixDay{"day of week", 0, 7, 7, 7, kDays, 0};

/// The numbers of a list, or `position: message`.
std::string list_of(std::string_view text, const CronField& field) {
    schema::TextScanner scanner(text);
    const std::vector<int> values = read_cron_list(scanner, field);
    const auto result = scanner.result(0);
    return result ? fmt::format("{}", fmt::join(values, " "))
                  : fmt::format("{}: {}", result.error().position, result.error().message);
}

struct FieldCase {
    std::string_view text;
    std::string_view numbers;
};

TEST(CronField, A_member_is_a_number_a_range_or_either_with_a_step) {
    const FieldCase cases[] = {
        {"3", "3"},
        {"03", "3"},
        {"3-5", "3 4 5"},
        {"3-3", "3"},
        {"3-9/2", "3 5 7 9"},
        {"3-9/4", "3 7"},
        {"3-9/100", "3"},
        {"20/2", "20 22"},
        {"*/8", "0 8 16"},
        {"/8", "0 8 16"},
        {"*", "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23"},
        {"1,5,3", "1 5 3"},
        {"1-3,2-4", "1 2 3 2 3 4"},
    };
    for (const auto& [text, numbers] : cases) {
        EXPECT_EQ(list_of(text, kHour), numbers) << text;
    }
}

TEST(CronField, A_range_that_ends_before_it_begins_goes_round_where_there_is_a_round) {
    EXPECT_EQ(list_of("22-2", kHour), "22 23 0 1 2");
    EXPECT_EQ(list_of("22-2/3", kHour), "22 1");
    EXPECT_EQ(list_of("FRI-MON", kQuartzDay), "6 7 1 2");
    EXPECT_EQ(list_of("2030-2028", kYear), "0: this range of the year ends before it begins");
}

TEST(CronField, In_Unix_texts_seven_is_another_name_of_Sunday) {
    EXPECT_EQ(list_of("7", kUnixDay), "0");
    EXPECT_EQ(list_of("5-7", kUnixDay), "5 6 0");
    EXPECT_EQ(list_of("*", kUnixDay), "0 1 2 3 4 5 6") << "it is counted once";
}

TEST(CronField, A_name_is_its_first_three_letters_or_all_of_them) {
    EXPECT_EQ(list_of("SUN", kQuartzDay), "1");
    EXPECT_EQ(list_of("SUN", kUnixDay), "0");
    EXPECT_EQ(list_of("SATURDAY", kQuartzDay), "7");
    EXPECT_EQ(list_of("MON,WEDNESDAY,FRI", kQuartzDay), "2 4 6");
    EXPECT_EQ(list_of("TUE-THURSDAY", kQuartzDay), "3 4 5");
}

TEST(CronField, What_is_wrong_is_said_with_its_place) {
    const struct {
        std::string_view text;
        const CronField& field;
        std::string_view problem;
    } cases[] = {
        {"", kHour, "0: expected the hour"},
        {"24", kHour, "0: the hour must be 0 to 23"},
        {"99999999999999999999", kHour, "0: the hour must be 0 to 23"},
        {"1-24", kHour, "2: the hour must be 0 to 23"},
        {"1,,2", kHour, "2: expected the hour"},
        {"1,", kHour, "2: expected the hour"},
        {"1-", kHour, "2: expected the hour"},
        {"-1", kHour, "0: expected the hour"},
        {"1/", kHour, "2: expected a number behind '/'"},
        {"1/0", kHour, "2: a step is at least 1"},
        {"*/24", kHour, "2: a step of the hour is at most 23"},
        {"5;", kHour, "1: unexpected ';'"},
        {"5\x01", kHour, "1: unexpected character"},
        {"MON", kHour, "0: expected the hour"},
        {"MO", kQuartzDay, "0: 'MO' does not begin the name of a day of week"},
        {"XYZ", kQuartzDay, "0: 'XYZ' does not begin the name of a day of week"},
        {"MONDX", kQuartzDay, "4: expected 'A', to end the name"},
        {"MON/2", kUnixDay, ""},
        {"MON/2",
         kQuartzDay,
         "3: Quartz ignores a step behind a name; write numbers, such as 2-6/2"},
        {"2-FRI/2",
         kQuartzDay,
         "5: Quartz ignores a step behind a name; write numbers, such as 2-6/2"},
    };
    for (const auto& [text, field, problem] : cases) {
        if (problem.empty()) {
            EXPECT_EQ(list_of(text, field), "1 3 5") << text;
        } else {
            EXPECT_EQ(list_of(text, field), problem) << text;
        }
    }
}

TEST(CronField, A_step_behind_a_range_may_be_longer_than_the_field_as_in_Quartz) {
    EXPECT_EQ(list_of("1-5/30", kHour), "1");
    EXPECT_EQ(list_of("1/30", kHour), "2: a step of the hour is at most 23");
}

TEST(CronField, Ends_at_a_blank_of_any_kind) {
    for (const char blank : {' ', '\t', '\n', '\r'}) {
        const std::string text = std::string("7") + blank + "8";
        schema::TextScanner scanner(text);
        EXPECT_EQ(read_cron_list(scanner, kHour), std::vector<int>{7});
        EXPECT_TRUE(at_field_end(scanner));
        EXPECT_EQ(scanner.position(), 1U);
    }
    EXPECT_FALSE(is_blank('\v')) << "cron texts are cut where Quartz cuts them";
}

}  // namespace
}  // namespace jobstrand::timers
