#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CliHelp : public CliTest {};

TEST_F(CliHelp, Every_way_to_ask_gets_the_same_answer) {
    const std::string verb = run_bare({"job", "add", "--help"}).out;
    EXPECT_THAT(verb, HasSubstr("Usage: jobstrand job add [OPTIONS]"));
    EXPECT_EQ(run_bare({"help", "job", "add"}).out, verb);
    EXPECT_EQ(run_bare({"job", "help", "add"}).out, verb);
    const std::string noun = run_bare({"job", "--help"}).out;
    EXPECT_EQ(run_bare({"job", "help"}).out, noun);
    EXPECT_EQ(run_bare({"help", "job"}).out, noun);
    EXPECT_EQ(run_bare({"help"}).out, run_bare({"--help"}).out);
    EXPECT_EQ(run_bare({"help", "job"}).code, ExitCode::done);
}

TEST_F(CliHelp, Each_noun_has_examples_of_its_own) {
    for (const std::string noun :
         {"schema",
          "job",
          "timer",
          "series",
          "group",
          "calendar",
          "dead",
          "instance",
          "definition",
          "config",
          "completion"}) {
        const CliResult help = run_bare({noun, "help"});
        EXPECT_EQ(help.code, ExitCode::done);
        EXPECT_THAT(help.out, HasSubstr("Usage: jobstrand " + noun + " [OPTIONS]"));
        EXPECT_THAT(help.out, HasSubstr("Examples:\n  ")) << noun;
        EXPECT_THAT(help.out, testing::Not(HasSubstr("\n  help "))) << noun;
    }
}

// A person is shown what there is; a script whose verb is missing does not go on.
TEST_F(CliHelp, A_noun_alone_shows_its_help_as_an_error) {
    const CliResult noun = run_bare({"dead"});
    EXPECT_EQ(noun.code, ExitCode::wrong_usage);
    EXPECT_EQ(noun.out, "");
    EXPECT_THAT(noun.err, StartsWith(run_bare({"dead", "--help"}).out));
    EXPECT_THAT(noun.err, EndsWith("\njobstrand: a verb is missing\n"));
    const CliResult nothing = run_bare({});
    EXPECT_EQ(nothing.code, ExitCode::wrong_usage);
    EXPECT_THAT(nothing.err, EndsWith("\njobstrand: a noun is missing\n"));
}

TEST_F(CliHelp, What_there_is_no_help_for_is_said) {
    const CliResult nobody = run_bare({"help", "job", "dance"});
    EXPECT_EQ(nobody.code, ExitCode::wrong_usage);
    EXPECT_EQ(nobody.err, "jobstrand: jobstrand job has no dance; see `jobstrand job --help`\n");
}

}  // namespace
}  // namespace jobstrand::test
