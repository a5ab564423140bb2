#include "tools/surface/completion.hpp"

#include "test/tools/cli_fixture.hpp"
#include "tools/surface/program.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using cli::CommandDescription;
using cli::ExitCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CliCompletion : public CliTest {
protected:
    /// What a shell is told about the last of these words.
    std::string offered(std::vector<std::string> words) {
        words.insert(words.begin(), "__complete");
        environment_["JOBSTRAND_DB"] = url();
        const CliResult answer = run_bare(words);
        EXPECT_EQ(answer.code, ExitCode::done);
        EXPECT_EQ(answer.err, "");
        return answer.out;
    }
};

TEST_F(CliCompletion, Nouns_and_verbs_come_with_what_they_mean) {
    EXPECT_EQ(offered({"dea"}), "dead\tDead letters: jobs that have used up their retries\n");
    EXPECT_EQ(offered({"dead", "re"}), "requeue\tGive dead letters new attempts\n");
    EXPECT_THAT(offered({""}), AllOf(HasSubstr("job\t"), HasSubstr("serve\t")));
    EXPECT_EQ(offered({"dance", "x"}), "");
}

TEST_F(CliCompletion, Options_are_those_of_the_verb_and_of_the_program) {
    EXPECT_THAT(
        offered({"job", "ls", "--"}),
        AllOf(HasSubstr("--place\t"), HasSubstr("--db\t"), Not(HasSubstr("--payload")))
    );
    EXPECT_THAT(offered({"--db", "x", "job", "ls", "--"}), Not(HasSubstr("--db\t")));
}

TEST_F(CliCompletion, Values_are_those_of_the_option) {
    EXPECT_EQ(offered({"job", "ls", "--place", "s"}), "suspended\t\n");
    EXPECT_EQ(offered({"job", "ls", "--place=s"}), "--place=suspended\t\n");
    EXPECT_EQ(offered({"timer", "ls", "--state", ""}), "waiting\t\npaused\t\nall\t\n");
    EXPECT_EQ(offered({"series", "ls", "--state", "e"}), "ended\t\n");
    EXPECT_EQ(offered({"stats", "-o", "c"}), "csv\t\n");
    EXPECT_EQ(offered({"--config", ""}), ":files\n");
    EXPECT_EQ(offered({"manual", "stat"}), offered({"stat"}));
    EXPECT_EQ(offered({"job", "add", "--due", ""}), "");
    EXPECT_EQ(offered({"job", "ls", "--locked", "--color", "n"}), "never\t\n");
}

TEST_F(CliCompletion, Ids_are_those_of_the_place_that_the_noun_is_about) {
    add({"--type", "mail", "--id", "a-job"});
    add({"--type", "mail", "--id", "a-timer", "--due", "2040-01-01T00:00:00Z"});
    const std::string dead = add_dead("no such host");
    EXPECT_EQ(offered({"job", "show", "a-"}), "a-job\tmail, executable\na-timer\tmail, timer\n");
    EXPECT_EQ(offered({"timer", "fire", ""}), "a-timer\tmail, timer\n");
    EXPECT_EQ(offered({"dead", "requeue", ""}), dead + "\tnoop: no such host\n");
    EXPECT_EQ(offered({"dead", "requeue", dead, ""}), dead + "\tnoop: no such host\n");
    EXPECT_EQ(offered({"dead", "show", dead, ""}), "");
}

TEST_F(CliCompletion, Groups_of_dead_letters_come_with_their_cause) {
    add_dead("no such host");
    add_dead("no such host");
    EXPECT_THAT(
        offered({"dead", "requeue", "--group", ""}),
        testing::MatchesRegex("[0-9a-f]+\t2 of noop: no such host\n")
    );
}

TEST_F(CliCompletion, Types_series_groups_calendars_and_instances_are_those_of_the_database) {
    add({"--type", "mail", "--instance", "order-17"});
    add({"--type", "x", "--repeat", "R/PT1H", "--series", "hourly", "--group", "often"});
    ok({"calendar", "set", "sundays", "weekly SUN"});
    EXPECT_EQ(offered({"job", "ls", "--type", "m"}), "mail\t\n");
    EXPECT_THAT(offered({"job", "add", "--type", ""}), HasSubstr("command\t\n"));
    EXPECT_THAT(offered({"series", "pause", "h"}), HasSubstr("hourly\tR/"));
    EXPECT_EQ(offered({"group", "resume", "o"}), "often\t1 series\n");
    EXPECT_EQ(offered({"calendar", "rm", ""}), "sundays\tweekly SUN\n");
    EXPECT_EQ(offered({"instance", "suspend", "order"}), "order-17\t\n");
}

TEST_F(CliCompletion, The_database_that_was_typed_is_asked) {
    add({"--type", "mail", "--id", "a-job"});
    const std::string config = file("some.toml", "db = \"" + url() + "\"\n");
    environment_["JOBSTRAND_DB"] = "sqlite:" + path_of("nowhere.db");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"__complete", "--db", url(), "job", "show", ""},
          {"__complete", "job", "--db=" + url(), "show", ""}}) {
        EXPECT_EQ(run_bare(words).out, "a-job\tmail, executable\n");
    }
    environment_.clear();
    EXPECT_EQ(
        run_bare({"__complete", "--config", config, "job", "show", ""}).out,
        "a-job\tmail, executable\n"
    );
}

TEST_F(CliCompletion, Whatever_is_wrong_nothing_is_said) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--db", "sqlite:" + path_of("nowhere.db"), "job", "show", ""},
          {"--db", "nonsense", "job", "show", ""},
          {"--config", path_of("nowhere.toml"), "job", "show", ""},
          {}}) {
        EXPECT_EQ(offered(words), words.empty() ? offered({""}) : "");
    }
}

TEST_F(CliCompletion, What_would_harm_a_terminal_is_not_offered) {
    add({"--type", "evil\x1b[2J", "--id", "a-job"});
    EXPECT_THAT(offered({"job", "show", ""}), Not(HasSubstr("\x1b")));
    EXPECT_EQ(offered({"job", "ls", "--type", "e"}), "");
}

void expect_known_values(const CommandDescription& command, const std::string& noun) {
    for (const cli::OptionDescription& option : command.options) {
        if (!option.value.empty()) {
            EXPECT_NE(cli::choices_of(noun, option.names.back(), option.value), nullptr)
                << noun << ' ' << command.name << ' ' << option.names.back() << ' ' << option.value
                << ": say in surface/completion.cpp where such values come from";
        }
    }
    for (const CommandDescription& below : command.commands) {
        expect_known_values(below, noun.empty() ? below.name : noun);
    }
}

TEST(ValueChoices, It_is_said_of_every_option_where_its_values_come_from) {
    expect_known_values(cli::Program().description(), "");
}

}  // namespace
}  // namespace jobstrand::test
