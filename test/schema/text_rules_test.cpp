#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jobstrand::schema {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> problems_of_id(std::string_view id) {
    std::vector<std::string> problems;
    check_id("id", id, problems);
    return problems;
}

std::vector<std::string> problems_of_text(std::string_view text, std::size_t most) {
    std::vector<std::string> problems;
    check_text("name", text, most, problems);
    return problems;
}

TEST(TextRules, An_id_holds_any_printable_character) {
    std::string all;
    for (char c = '!'; c <= '~'; ++c) {
        all += c;
    }
    EXPECT_THAT(problems_of_id(all.substr(0, limits::kIdLength)), IsEmpty());
    EXPECT_THAT(problems_of_id(all.substr(all.size() - limits::kIdLength)), IsEmpty());
    EXPECT_THAT(problems_of_id(" order 12"), IsEmpty()) << "spaces before the end are kept";
    EXPECT_THAT(problems_of_id(""), IsEmpty()) << "whether it may be empty is the field's rule";
}

TEST(TextRules, An_id_of_an_app_is_any_text_without_control_characters) {
    const auto problems_of = [](std::string_view id) {
        std::vector<std::string> problems;
        check_app_id("instance", id, problems);
        return problems;
    };
    EXPECT_THAT(problems_of("ørder 注文-17"), IsEmpty());
    std::string longest;
    for (std::size_t i = 0; i < limits::kIdLength; ++i) {
        longest += "注";
    }
    EXPECT_THAT(problems_of(longest), IsEmpty());
    EXPECT_THAT(problems_of(longest + "1"), ElementsAre("instance is longer than 64 characters"));
    for (const std::string_view bad : {"a\tb", "a\x7f", "a "}) {
        EXPECT_THAT(
            problems_of(bad),
            ElementsAre("instance may hold no control characters, and no space at its end")
        ) << bad;
    }
}

TEST(TextRules, An_id_holds_nothing_that_some_database_would_change) {
    const std::string sentence =
        "id may only hold printable ASCII characters, with no space at its end";
    for (const std::string_view id : {"a ", "a\t", "a\n", "\x7f", "\xc3\xa4", "\x1b[0m"}) {
        EXPECT_THAT(problems_of_id(id), ElementsAre(sentence)) << id;
    }
    EXPECT_THAT(problems_of_id(std::string_view("a\0b", 3)), ElementsAre(sentence));
}

TEST(TextRules, An_id_fits_its_column_to_the_last_character) {
    const std::string longest(limits::kIdLength, 'x');
    EXPECT_THAT(problems_of_id(longest), IsEmpty());
    EXPECT_THAT(
        problems_of_id(longest + "x"),
        ElementsAre("id is longer than " + std::to_string(limits::kIdLength) + " characters")
    );
}

TEST(TextRules, Everything_that_is_wrong_with_an_id_is_said) {
    EXPECT_EQ(problems_of_id(std::string(limits::kIdLength, 'x') + "\n").size(), 2U);
}

TEST(TextRules, A_text_is_measured_in_characters_as_databases_do_and_not_in_bytes) {
    EXPECT_THAT(problems_of_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 3), IsEmpty());
    EXPECT_THAT(
        problems_of_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 2),
        ElementsAre("name is longer than 2 characters")
    );
}

TEST(TextRules, A_text_is_UTF_8_without_NUL) {
    const std::string sentence = "name is not UTF-8 text without NUL";
    EXPECT_THAT(problems_of_text(std::string_view("a\0b", 3), 10), ElementsAre(sentence));
    for (const std::string_view text :
         {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "ok\x80"}) {
        EXPECT_THAT(problems_of_text(text, 10), ElementsAre(sentence));
    }
}

}  // namespace
}  // namespace jobstrand::schema
