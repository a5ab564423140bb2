#include "tools/text/json_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {
namespace {

using namespace std::string_view_literals;
using testing::HasSubstr;

std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> out;
    const auto members = members_of(text);
    for (const JsonMember& member : members.value()) {
        out.push_back(member.name + "=" + std::string(member.value));
    }
    return out;
}

TEST(JsonText, No_more_is_read_of_a_long_list_than_its_reader_takes) {
    const std::string_view list = R"(["a", "b", "c", "d"])";
    EXPECT_EQ(items_of(list, 4).value().size(), 4U);
    EXPECT_EQ(items_of(list, 2).value().size(), 3U) << "one more tells that there are too many";
    EXPECT_EQ(strings_of(list, 4).value().size(), 4U);
    EXPECT_EQ(strings_of(list, 2).value().size(), 3U);
    EXPECT_FALSE(strings_of(R"(["a", 2])", 2));
    EXPECT_TRUE(members_of(R"({"a":1,"b":2})", 2));
    EXPECT_EQ(members_of(R"({"a":1,"b":2,"c":3})", 2).error().message, "has more than 2 members");
}

TEST(JsonText, Members_keep_their_order_and_every_character_of_their_values) {
    EXPECT_THAT(
        listed(
            " {\"b\" : 1.10 ,\n\"a\":{\"x\":[1,\"}\\\"\"] }, \"\\u0063\":12345678901234567890123,"
            "\"d\":\"\\\\\"} "
        ),
        testing::ElementsAre(
            "b=1.10", "a={\"x\":[1,\"}\\\"\"] }", "c=12345678901234567890123", "d=\"\\\\\""
        )
    );
    EXPECT_THAT(listed("{}"), testing::IsEmpty());
    EXPECT_THAT(listed("{ }"), testing::IsEmpty());
}

TEST(JsonText, A_value_within_what_was_read_is_read_without_being_looked_through_again) {
    const auto members = members_of(R"({"list":[{"a":1}, 2]})");
    const auto items = items_of_value(members.value()[0].value);
    ASSERT_EQ(items.value().size(), 2U);
    EXPECT_EQ(members_of_value(items.value()[0]).value()[0].name, "a");
    EXPECT_EQ(members_of_value(items.value()[1]).error().message, "must be a JSON object");
    EXPECT_EQ(items_of_value(items.value()[1]).error().message, "must be a JSON array");
}

TEST(JsonText, What_is_no_object_is_an_error) {
    for (const std::string_view text :
         {"", "[]", "1", "{", "{\"a\"}", "{\"a\":1,}", "{'a':1}", "{\"a\":1}x", "{\"a\":01}"}) {
        EXPECT_FALSE(members_of(text)) << text;
    }
    EXPECT_EQ(members_of(R"({"a":1,"\u0061":2})").error().message, "a is given twice");
    EXPECT_FALSE(members_of("{\"a\":1}\0x"sv));
    EXPECT_FALSE(members_of("\xEF\xBB\xBF{}"));
    EXPECT_FALSE(members_of("{\"a\":\"\xff\"}"));
}

TEST(JsonText, The_members_of_what_is_nested_too_deep_are_not_looked_for) {
    const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    EXPECT_THAT(members_of("{\"a\":" + deep + "}").error().message, HasSubstr("1000 deep"));
    const std::string shallow = std::string(999, '[') + std::string(999, ']');
    EXPECT_EQ(members_of("{\"a\":" + shallow + "}").value().front().value, shallow);
}

TEST(JsonText, A_value_is_put_on_one_line_without_being_changed) {
    EXPECT_EQ(on_one_line("\n{\"a\":\r\n 1.50}\n"), "{\"a\":   1.50}");
}

TEST(JsonText, Strings_are_escaped_and_bad_bytes_replaced) {
    EXPECT_EQ(json_string("a\"\n\xff"), "\"a\\\"\\n\xEF\xBF\xBD\"");
    EXPECT_EQ(
        json_string("a\xc2\x9b"
                    "b\u202Ec\u2028"),
        "\"a\\u009bb\\u202ec\\u2028\""
    );
    EXPECT_EQ(string_of(json_string("Größe\u202E")).value(), "Größe\u202E");
}

}  // namespace
}  // namespace jobstrand::cli
