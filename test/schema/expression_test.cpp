#include "schema/expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>

namespace jobstrand::schema {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPayload = R"({
    "order": {"priority": 42, "vip": true, "total": 99.5, "id": "A-17", "none": null, "tags": []},
    "items": [{"price": 7}, {"price": 11}],
    "customer": "VIP", "amount": "12", "tries": 5, "quoted \"name\"": 1, "umlaut": "\u00e4\ud83d\ude00"
})";

Job job_with(std::string_view payload) {
    Job job{.payload = std::string(payload)};
    job.process_instance_id = "order-17";
    return job;
}

/// What an expression comes to, as text; or what is wrong with it, and where.
std::string result(std::string_view text, std::string_view payload = kPayload) {
    const auto value = evaluate_text(text, job_with(payload));
    return value ? value.value()
                 : value.error().message + " @" + std::to_string(value.error().position);
}

struct Example {
    std::string_view text;
    std::string_view result;
};

void expect_all(std::span<const Example> examples) {
    for (const auto& [text, expected] : examples) {
        EXPECT_EQ(result(text), expected) << text;
    }
}

// R019, R020, R022
TEST(Expression, The_examples_of_the_guides) {
    expect_all(std::array<Example, 5>{{
        {"${order.priority}", "42"},
        {"${customer == 'VIP' ? 10 : 0}", "10"},
        {"${order.vip ? 10 : 0}", "10"},
        {"R${tries}/PT5M", "R5/PT5M"},
        {"${execution.processInstanceId}", "order-17"},
    }});
}

TEST(Expression, Paths_go_into_objects_and_lists) {
    expect_all(std::array<Example, 10>{{
        {"${items[1].price}", "11"},
        {"${items[0]['price']}", "7"},
        {"${order['id']}", "A-17"},
        {"${items[tries - 4].price}", "11"},
        {"${order.none}", ""},
        {"${order.nothing}", ""},
        {"${items[7].price}", ""},
        {"${customer.length}", ""},
        {"${umlaut}", "ä😀"},
        {"${nothing.at.all}", "there is no variable nothing @2"},
    }});
}

TEST(Expression, Values_are_compared) {
    expect_all(std::array<Example, 15>{{
        {"${1 < 2}", "true"},
        {"${2 lt 1}", "false"},
        {"${2 <= 2 && 3 >= 4}", "false"},
        {"${2 le 2 and 4 ge 4}", "true"},
        {"${order.total > 99}", "true"},
        {"${amount == 12}", "true"},
        {"${amount eq '12'}", "true"},
        {"${'a' ne \"b\"}", "true"},
        {"${'abc' < 'abd'}", "true"},
        {"${order.none == null}", "true"},
        {"${order.none != 1}", "true"},
        {"${order.none < 1}", "false"},
        {"${order.vip == 'true'}", "true"},
        {"${customer > 1}", "a text where a number is needed @11"},
        {"${order == 1}", "an object or a list where a number is needed @8"},
    }});
}

TEST(Expression, And_or_and_choices_ask_only_for_what_decides) {
    expect_all(std::array<Example, 8>{{
        {"${true || nothing}", "true"},
        {"${false && nothing}", "false"},
        {"${true ? 1 : nothing}", "1"},
        {"${false ? nothing : false ? 2 : 3}", "3"},
        {"${not order.vip or !(1 == 2)}", "true"},
        {"${empty order.tags and empty order.none and not empty items}", "true"},
        {"${empty customer}", "false"},
        {"${customer && true}", "a text where a truth value is needed @11"},
    }});
}

TEST(Expression, Numbers_are_calculated_with) {
    expect_all(std::array<Example, 13>{{
        {"${1 + 2 * 3}", "7"},
        {"${(1 + 2) * 3}", "9"},
        {"${7 - 2 - 1}", "4"},
        {"${7 % 4}", "3"},
        {"${7 mod 4 + 6 div 4}", "4.5"},
        {"${-order.priority}", "-42"},
        {"${- -1}", "1"},
        {"${order.none + 1}", "1"},
        {"${amount + 1}", "13"},
        {"${1.5 * 2}", "3"},
        {"${1 / 0}", "a division by zero @4"},
        {"${9223372036854775807 + 1}", "the result is beyond 64 bits @22"},
        {"${99999999999999999999}", "a number beyond 64 bits @2"},
    }});
}

// R021
TEST(Expression, A_priority_comes_to_a_whole_number_of_64_bits) {
    const auto number = [](std::string_view text) {
        const auto value = evaluate_number(text, job_with(kPayload));
        return value ? std::to_string(value.value()) : value.error().message;
    };
    EXPECT_EQ(number("${order.priority}"), "42");
    EXPECT_EQ(number("${amount}"), "12");
    EXPECT_EQ(number("${6 / 2}"), "3");
    EXPECT_EQ(number("${-9223372036854775807 - 1}"), "-9223372036854775808");
    EXPECT_THAT(number("${1 / 2}"), HasSubstr("a number, and must come to a whole number"));
    EXPECT_THAT(number("${customer}"), HasSubstr("a text, and must"));
    EXPECT_THAT(number("${order.none}"), HasSubstr("null, and must"));
    EXPECT_THAT(number("${order}"), HasSubstr("an object or a list, and must"));
    EXPECT_THAT(number("${1}2"), HasSubstr("no more behind }"));
}

TEST(Expression, What_is_wrong_is_told_with_its_position) {
    expect_all(std::array<Example, 12>{{
        {"${", "expected a value @2"},
        {"${}", "expected a value @2"},
        {"${1", "expected an operator or } @3"},
        {"R${1 2}", "expected an operator or } @5"},
        {"${(1}", "expected ) @4"},
        {"${true ? 2}", "expected : @10"},
        {"${a.}", "expected a name @4"},
        {"${a[1}", "expected ] @5"},
        {"${'open}", "the quotes are not closed @2"},
        {"${order.size()}", "there are no calls in expressions @12"},
        {"${a = 1}", "this character means nothing in an expression @4"},
        {"${1;}", "this character means nothing in an expression @3"},
    }});
}

TEST(Expression, Mistakes_are_found_without_a_job) {
    EXPECT_EQ(mistake_in_expressions("${nothing.here ? customer > 1 : 1 / 0}"), std::nullopt);
    EXPECT_EQ(mistake_in_expressions("R5/PT5M"), std::nullopt);
    EXPECT_EQ(mistake_in_expressions("${1 +}").value().position, 5U);
}

TEST(Expression, Everything_has_a_bound) {
    const std::string deep = "${" + std::string(100, '(') + "1" + std::string(100, ')') + "}";
    EXPECT_THAT(result(deep), HasSubstr("nested too deeply"));
    EXPECT_THAT(result("${" + std::string(290, '!') + "1}"), HasSubstr("nested too deeply"));
    EXPECT_THAT(result("${'" + std::string(300, 'a') + "'}"), HasSubstr("more than 300 bytes"));
    std::string many = "${1";
    for (int i = 0; i < 40; ++i) {
        many += "+tries";
    }
    EXPECT_THAT(result(many + "}"), HasSubstr("more than 32 variables"));
    const std::string large = R"({"a":")" + std::string(kMostExpressionPayload, 'a') + R"("})";
    EXPECT_THAT(result("${a}", large), HasSubstr("larger than what expressions look into"));
    const std::string wide = R"({"a":")" + std::string(5000, 'a') + R"("})";
    EXPECT_THAT(result("${a}", wide), HasSubstr("more than 4000 bytes"));
}

TEST(Expression, A_payload_that_is_no_object_has_no_variables) {
    EXPECT_THAT(result("${a}", ""), HasSubstr("there is no variable a"));
    EXPECT_THAT(result("${a}", "[1]"), HasSubstr("there is no variable a"));
    EXPECT_THAT(result("${a}", "{\"a\":"), HasSubstr("the payload is not JSON"));
    EXPECT_THAT(result("${a}", "{\"b\":1 \"a\":2}"), HasSubstr("the payload is not JSON"));
    EXPECT_THAT(result("${a}", "{\"a\":01x}"), HasSubstr("the payload is not JSON"));
    EXPECT_THAT(result("${a}", "{\"a\":\"\\ud800\"}"), HasSubstr("the payload is not JSON"));
    EXPECT_EQ(result("${a}", std::string(5000, '[')), "there is no variable a @2");
}

}  // namespace
}  // namespace jobstrand::schema
