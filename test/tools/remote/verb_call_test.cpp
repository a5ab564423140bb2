#include "tools/surface/verb_call.hpp"

#include <gtest/gtest.h>

namespace jobstrand {
namespace {

using cli::VerbAnswer;
using cli::VerbCall;

TEST(VerbCallTest, Arrives_as_it_was_sent) {
    const VerbCall sent{
        .arguments = {"-o", "json", "--type", "", "ä \"'\\\n\t"},
        .input = std::string("a\0b", 3),
        .files = {{"a b", "{}"}, {"c", ""}},
        .user = "ada",
        .columns = 80,
        .is_coloured = true,
        .are_errors_coloured = true,
        .can_be_asked = true,
    };
    const auto read = cli::parse_verb_call(json_of(sent));
    ASSERT_TRUE(read) << read.error().message;
    const VerbCall& got = read.value();
    EXPECT_EQ(got.arguments, sent.arguments);
    EXPECT_EQ(got.input, sent.input);
    EXPECT_EQ(got.files, sent.files);
    EXPECT_EQ(got.user, sent.user);
    EXPECT_EQ(got.columns, sent.columns);
    EXPECT_TRUE(got.is_coloured && got.are_errors_coloured && got.can_be_asked);
    const auto nothing = cli::parse_verb_call(json_of(VerbCall{}));
    ASSERT_TRUE(nothing) << nothing.error().message;
    EXPECT_FALSE(nothing.value().columns);
}

TEST(VerbCallTest, An_answer_arrives_as_it_was_given) {
    const VerbAnswer given{
        .exit_code = cli::ExitCode::partly_done,
        .output = "[\n]\n",
        .errors = "jobstrand: no\n",
        .question = "All?"};
    const auto read = cli::parse_verb_answer(json_of(given));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read.value().exit_code, given.exit_code);
    EXPECT_EQ(read.value().output, given.output);
    EXPECT_EQ(read.value().errors, given.errors);
    EXPECT_EQ(read.value().question, given.question);
}

TEST(VerbCallTest, A_later_service_may_say_more_but_a_client_may_not) {
    EXPECT_TRUE(cli::parse_verb_answer(R"({"exitCode":0,"more":1})"));
    EXPECT_FALSE(cli::parse_verb_answer(R"({"exitCode":99})"));
    EXPECT_FALSE(cli::parse_verb_answer("hello"));
    EXPECT_FALSE(cli::parse_verb_call(R"({"more":1})"));
}

TEST(VerbCallTest, Nouns_and_verbs_are_segments_of_the_path) {
    EXPECT_EQ(cli::verb_path("job add"), "/api/v1/verbs/job/add");
    EXPECT_EQ(cli::verb_path("stats"), "/api/v1/verbs/stats");
}

}  // namespace
}  // namespace jobstrand
