#include "tools/handlers/handler_payloads.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace jobstrand::cli {
namespace {

struct Printed {
    const char* text;
    std::optional<std::string> payload;
};

// R126
TEST(CommandPayload, What_is_printed_is_handed_on_with_the_command_that_printed_it) {
    const Printed cases[] = {
        {R"({"n":1})", R"({"command":"sum","n":1})"},
        {R"({"command":"sum","n":1})", R"({"command":"sum","n":1})"},
        {R"({"n":1,"command":"other"})", R"({"command":"sum","n":1})"},
        {R"({"command":["other"]})", R"({"command":"sum"})"},
        {R"({"command":null,"args":["a"]})", R"({"command":"sum","args":["a"]})"},
        {"{\"a\" : 1.10 ,\n\"b\":{\"command\":\"other\"}}",
         R"({"command":"sum","a":1.10,"b":{"command":"other"}})"},
        {R"({"\u0063ommand":"other"})", R"({"command":"sum"})"},
        {R"({"n\"":1})", R"({"command":"sum","n\"":1})"},
        {" {} \n", R"({"command":"sum"})"},
        {"", std::nullopt},
        {"done", std::nullopt},
        {"null", std::nullopt},
        {"[]", std::nullopt},
        {"{\"n\":1", std::nullopt},
        {"{\"n\":1}{\"n\":2}", std::nullopt},
        {"{\"n\":1,\"n\":2}", std::nullopt},
        {R"({"args":"a"})", std::nullopt},
        {R"({"args":["a\u0000b"]})", std::nullopt},
        {R"({"command":"other","command":"sum"})", std::nullopt},
    };
    for (const Printed& test : cases) {
        EXPECT_EQ(handed_on(test.text, "sum"), test.payload) << test.text;
    }
}

TEST(CommandPayload, What_is_handed_on_is_a_payload_for_the_same_command) {
    const std::string name = "a \"name\" with \\ and \n";
    const auto payload = handed_on(R"({"args":["x"]})", name);
    ASSERT_TRUE(payload);
    EXPECT_EQ(
        parse_command_payload(*payload).value(),
        (CommandPayload{.command = name, .arguments = {"x"}})
    );
}

}  // namespace
}  // namespace jobstrand::cli
