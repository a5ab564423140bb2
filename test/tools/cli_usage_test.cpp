#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"
#include "tools/output/output_style.hpp"
#include "tools/process/this_process.hpp"
#include "tools/settings/settings_text.hpp"
#include "tools/surface/completion.hpp"
#include "tools/surface/program.hpp"
#include "tools/text/typing_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace jobstrand::cli {

namespace {

using test::CliResult;
using test::CliTest;
using test::eventually;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class CliUsage : public CliTest {};

TEST_F(CliUsage, Help_and_version_are_data_and_no_error) {
    const CliResult version = run_bare({"--version"});
    EXPECT_EQ(version.code, ExitCode::done);
    EXPECT_THAT(version.out, testing::StartsWith("jobstrand 0."));
    const std::vector<std::vector<std::string>> calls{
        {"--help"},
        {"serve", "--help"},
        {"schema", "--help"},
        {"job", "--help"},
        {"job", "add", "--help"},
        {"timer", "ls", "--help"},
        {"series", "reschedule", "--help"},
        {"group", "pause", "--help"},
        {"calendar", "set", "--help"},
        {"dead", "requeue", "--help"},
        {"instance", "ls", "--help"},
        {"config", "docs", "--help"},
    };
    for (const std::vector<std::string>& call : calls) {
        const CliResult help = run_bare(call);
        EXPECT_EQ(help.code, ExitCode::done);
        EXPECT_EQ(help.err, "");
        EXPECT_THAT(help.out, HasSubstr("Usage: jobstrand"));
        if (call.size() == 3) {
            EXPECT_THAT(help.out, HasSubstr("Examples:\n  jobstrand " + call[0] + " " + call[1]));
        }
    }
}

struct WrongCall {
    std::vector<std::string> arguments;
    const char* message;
};

TEST_F(CliUsage, What_is_not_known_gets_the_nearest_name) {
    const WrongCall cases[] = {
        {{"jbo", "ls"}, "jbo is not known here; did you mean job?"},
        {{"job", "lst"}, "lst is not known here; did you mean ls?; see `jobstrand job --help`"},
        {{"job", "ls", "--palce", "all"}, "--palce is not known here; did you mean --place?"},
        {{"job", "show"}, "see `jobstrand job show --help`"},
        {{"job", "show", "a", "b"}, "b is not known"},
        {{"job", "ls", "--limit"}, "--limit"},
    };
    for (const WrongCall& test : cases) {
        const CliResult result = run(test.arguments);
        EXPECT_EQ(result.code, ExitCode::wrong_usage) << test.message;
        EXPECT_THAT(result.err, HasSubstr(test.message));
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    }
}

TEST_F(CliUsage, The_database_comes_from_the_option_then_the_environment_then_the_file) {
    add({"--type", "noop", "--id", "a"});
    const std::string config = file("jobstrand.toml", "db = \"" + url() + "\"\n");
    EXPECT_EQ(run_bare({"job", "ls", "-o", "name", "--config", config}).out, "a\n");
    environment_["JOBSTRAND_CONFIG"] = config;
    EXPECT_EQ(run_bare({"job", "ls", "-o", "name"}).out, "a\n");
    environment_["JOBSTRAND_DB"] = "sqlite:" + path_of("missing.db");
    EXPECT_EQ(run_bare({"job", "ls"}).code, ExitCode::failed);
    EXPECT_EQ(run({"job", "ls", "-o", "name"}).out, "a\n");
    environment_.clear();
    EXPECT_THAT(run_bare({"job", "ls"}).err, HasSubstr("no database: pass --db URL"));
    EXPECT_EQ(run_bare({"job", "ls"}).code, ExitCode::wrong_usage);
}

TEST_F(CliUsage, Mistakes_in_the_settings_stop_every_command) {
    environment_["JOBSTRAND_CONFIG"] = file("jobstrand.toml", "queueSize = 0\nmaxPolSize = 1\n");
    for (const std::vector<std::string>& call :
         {std::vector<std::string>{"job", "add", "--type", "noop"},
          {"serve"},
          {"config", "check"},
          {"config", "show"}}) {
        const CliResult result = run(call);
        EXPECT_EQ(result.code, ExitCode::wrong_usage);
        EXPECT_THAT(result.err, HasSubstr("jobstrand.toml:1: queueSize = 0: must be"));
        EXPECT_THAT(result.err, HasSubstr("jobstrand.toml:2: there is no setting maxPolSize"));
    }
    environment_.clear();
    EXPECT_EQ(places(), "");
}

TEST_F(CliUsage, Config_shows_checks_and_documents) {
    environment_["JOBSTRAND_CONFIG"] = file(
        "jobstrand.toml",
        "db = \"mysql://jobs:s3cret@localhost/jobs\"\nqueueSize = 7\nmaxPoolSize = 9\n"
        "asyncExecutorTimerLockTimeInMillis = 1000\n"
    );
    EXPECT_THAT(run_bare({"config", "show"}).out, HasSubstr("queueSize = 7\n"));
    EXPECT_THAT(run_bare({"config", "show"}).out, Not(HasSubstr("s3cret")));
    EXPECT_THAT(run({"config", "show"}).out, HasSubstr("db = \"" + url() + "\"\n"));
    EXPECT_THAT(run_bare({"config", "check"}).out, HasSubstr("without effect"));
    EXPECT_EQ(run_bare({"config", "check"}).code, ExitCode::done);
    EXPECT_EQ(run_bare({"config", "docs"}).out, cli::settings_as_markdown());
}

TEST_F(CliUsage, Config_is_shown_as_json_without_its_secrets) {
    environment_["JOBSTRAND_CONFIG"] = file(
        "jobstrand.toml",
        "db = \"mysql://jobs:s3cret@localhost/jobs\"\nmaxPoolSize = 9\nacquireAhead = 250\n"
        "[commands.hash]\nprogram = \"/bin/sh\"\nargs = [\"-c\"]\nenvironment = { A = \"s3cret\" "
        "}\n"
    );
    const std::string text = run_bare({"config", "show", "-o", "json"}).out;
    EXPECT_THAT(text, Not(HasSubstr("s3cret")));
    const auto shown = nlohmann::json::parse(text);
    EXPECT_EQ(shown["maxPoolSize"], 9);
    EXPECT_EQ(shown["acquireAhead"], "PT0.25S");
    EXPECT_EQ(shown["acquireByPriority"], false);
    EXPECT_EQ(shown["commands"]["hash"]["args"], nlohmann::json::array({"-c"}));
    EXPECT_EQ(shown["commands"]["hash"]["environment"]["A"], "***");
}

TEST_F(CliUsage, Config_check_says_where_it_has_looked_for_a_file) {
    const CliResult none = run_bare({"config", "check"});
    EXPECT_EQ(none.code, ExitCode::done);
    EXPECT_THAT(none.out, HasSubstr("--config names none, JOBSTRAND_CONFIG is not set"));
    const CliResult folder = run_bare({"config", "check", "--config", path_of("")});
    EXPECT_EQ(folder.code, ExitCode::wrong_usage);
    EXPECT_THAT(folder.err, HasSubstr("it is a folder; name the file in it"));
}

TEST_F(CliUsage, Config_check_names_what_others_may_write) {
    const std::string program = file("program", "#!/bin/sh\n");
    ::chmod(program.c_str(), 0757);
    environment_["JOBSTRAND_CONFIG"] =
        file("jobstrand.toml", "[commands.hash]\nprogram = \"" + program + "\"\n");
    ::chmod(path_of("jobstrand.toml").c_str(), 0646);
    CliResult result = run_bare({"config", "check"});
    EXPECT_EQ(result.code, ExitCode::check_found);
    EXPECT_THAT(result.out, HasSubstr("chmod o-w " + program + "\n"));
    EXPECT_THAT(result.out, HasSubstr("chmod o-w " + path_of("jobstrand.toml") + "\n"));
    ::chmod(program.c_str(), 0755);
    ::chmod(path_of("jobstrand.toml").c_str(), 0644);
    result = run_bare({"config", "check"});
    EXPECT_EQ(result.out, "the configuration is in order\n");
    const std::string folder = std::filesystem::path(program).parent_path();
    ::chmod(folder.c_str(), 0707);
    EXPECT_THAT(run_bare({"config", "check"}).out, HasSubstr("chmod o-w " + folder + "\n"));
    ::chmod(folder.c_str(), 0700);
}

TEST_F(CliUsage, Config_check_looks_whether_the_programs_can_be_run) {
    const std::string text = file("data.txt", "no program");
    ::chmod(text.c_str(), 0644);
    environment_["JOBSTRAND_CONFIG"] = file(
        "jobstrand.toml",
        "[commands.good]\nprogram = \"/bin/sh\"\nworkingDirectory = \"/tmp\"\n"
        "[commands.lost]\nprogram = \"" +
            path_of("nowhere") +
            "\"\n"
            "[commands.folder]\nprogram = \"/tmp\"\n"
            "[commands.text]\nprogram = \"" +
            text +
            "\"\n"
            "[commands.away]\nprogram = \"/bin/sh\"\nworkingDirectory = \"" +
            text + "\"\n"
    );
    const CliResult result = run_bare({"config", "check"});
    EXPECT_EQ(result.code, ExitCode::check_found);
    EXPECT_EQ(
        result.out,
        "[commands.away] workingDirectory = " + text +
            ": it is not a folder\n"
            "[commands.folder] program = /tmp: it is not a file\n"
            "[commands.lost] program = " +
            path_of("nowhere") +
            ": No such file or directory\n"
            "[commands.text] program = " +
            text + ": Permission denied\n"
    );
    environment_["JOBSTRAND_CONFIG"] =
        file("good.toml", "[commands.good]\nprogram = \"/bin/sh\"\n");
    EXPECT_EQ(run_bare({"config", "check"}).out, "the configuration is in order\n");
}

TEST_F(CliUsage, Stats_count_every_place) {
    add();
    lock(add());
    add_dead();
    EXPECT_EQ(
        ok({"stats", "-o", "json"}),
        "{\"places\":{\"executable\":2,\"timer\":0,\"suspended\":0,\"dead\":1,\"external\":0},"
        "\"locked\":{\"executable\":1,\"timer\":0,\"external\":0},"
        "\"unserved\":[{\"handlerType\":\"noop\",\"needs\":null,\"category\":null,\"tenantId\":"
        "null,"
        "\"processDefinitionId\":null,\"priority\":null,\"jobs\":1}],"
        "\"runsLastMinute\":0,\"failedLastMinute\":0,\"external\":[]}\n"
    );
    EXPECT_THAT(ok({"stats"}), HasSubstr("executable  2     1\n"));
    EXPECT_THAT(ok({"stats", "-o", "csv"}), HasSubstr("dead,1,\r\n"));
}

// I7
TEST_F(CliUsage, Stats_name_the_jobs_that_no_living_node_serves) {
    engine().start();
    ASSERT_TRUE(eventually([&] { return places().empty(); }));
    add({"--type", "emial"});
    EXPECT_EQ(run({"stats"}).err, "nobody serves emial: 1 jobs wait\n");
    EXPECT_THAT(
        ok({"stats", "-o", "json"}),
        HasSubstr("\"unserved\":[{\"handlerType\":\"emial\",\"needs\":null,\"category\":null,")
    );
}

TEST_F(CliUsage, A_database_url_in_a_wrong_place_is_not_repeated_with_its_password) {
    for (const std::vector<std::string>& call :
         {std::vector<std::string>{"mysql://u:s3cret@h/d"},
          {"job", "ls", "mysql://u:s3cret@h/d"},
          {"job", "show", "a", "postgresql://u:s3cret@h/d"},
          {"job", "ls", "--limit", "mysql://u:s3cret@h/d"}}) {
        const CliResult result = run(call);
        EXPECT_EQ(result.code, ExitCode::wrong_usage);
        EXPECT_THAT(result.err, Not(HasSubstr("s3cret")));
        EXPECT_THAT(result.err, HasSubstr("u:***@h/d"));
    }
}

TEST_F(CliUsage, Output_that_cannot_be_written_is_a_failure) {
    const std::string arguments =
        "--db '" + url() + "' stats -o json >/dev/full 2>'" + path_of("err") + "'";
    const int status = std::system(("exec '" JOBSTRAND_PROGRAM "' " + arguments).c_str());
    EXPECT_EQ(WEXITSTATUS(status), static_cast<int>(ExitCode::failed));
    std::ifstream err(path_of("err"));
    std::string said;
    std::getline(err, said);
    EXPECT_EQ(said, "jobstrand: the output could not be written; is the disk full?");
}

TEST(Process, Passwords_are_hidden_from_the_process_title) {
    struct Case {
        std::string before;
        std::string after;
    };
    const Case cases[] = {
        {"--db=mysql://u:s3cret@h:3306/d", "--db=mysql://u:******@h:3306/d"},
        {"postgresql://u:a@b/c@h/d", "postgresql://u:*****@h/d"},
        {"mysql://u@h:3306/d", "mysql://u@h:3306/d"},
        {"sqlite:jobs.db", "sqlite:jobs.db"},
        {"mysql://h:3306/d", "mysql://h:3306/d"},
        {"", ""},
    };
    for (const Case& test : cases) {
        std::string text = test.before;
        std::array<char*, 1> arguments{text.data()};
        cli::hide_passwords(arguments);
        EXPECT_EQ(text, test.after);
    }
}

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

std::size_t longest_line(const std::string& text) {
    std::size_t longest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        longest = std::max(longest, line.size());
    }
    return longest;
}

const std::string kWords =
    "one two three four five six seven eight nine ten eleven twelve thirteen";

TEST(WrappedHelp, Goes_on_below_the_description) {
    EXPECT_EQ(
        wrapped_help("  --option TEXT      " + kWords + "\n", 80),
        "  --option TEXT      one two three four five six seven eight nine ten eleven\n"
        "                     twelve thirteen\n"
    );
    EXPECT_EQ(
        wrapped_help("Usage: program " + kWords + "\n", 80),
        "Usage: program one two three four five six seven eight nine ten eleven twelve\n"
        "       thirteen\n"
    );
}

TEST(WrappedHelp, Fills_sentences_and_keeps_them_from_headings) {
    EXPECT_EQ(
        wrapped_help("Heading:\n" + kWords + "\n" + kWords + "\n\nEnd.\n", 100),
        "Heading:\n"
        "one two three four five six seven eight nine ten eleven twelve thirteen one two three "
        "four five six\n"
        "seven eight nine ten eleven twelve thirteen\n\nEnd.\n"
    );
}

TEST(WrappedHelp, Leaves_examples_as_they_are) {
    const std::string examples = "Examples:\n  jobstrand " + kWords + " " + kWords + "\n";
    EXPECT_EQ(wrapped_help(examples, 80), examples);
}

TEST(WrappedHelp, Is_laid_out_for_80_columns_at_least_and_120_at_most) {
    const std::string text = kWords + " " + kWords + " " + kWords + "\n";
    EXPECT_EQ(wrapped_help(text, 10), wrapped_help(text, 80));
    EXPECT_LE(longest_line(wrapped_help(text, 80)), 80U);
    EXPECT_EQ(wrapped_help(text, 300), wrapped_help(text, 120));
    EXPECT_GT(longest_line(wrapped_help(text, 120)), 100U);
}

constexpr std::array<std::string_view, 4> kNames{
    "corePoolSize",
    "maxPoolSize",
    "queueSize",
    "lockOwner"};

TEST(NearestName, The_fewest_edits_win) {
    EXPECT_EQ(nearest_name("maxPolSize", kNames), "maxPoolSize");
    EXPECT_EQ(nearest_name("corepoolsize", kNames), "corePoolSize");
    EXPECT_EQ(nearest_name("quueeSize", kNames), "queueSize");
    EXPECT_EQ(nearest_name("lock_owner", kNames), "lockOwner");
}

TEST(NearestName, An_empty_or_endless_name_has_an_answer_too) {
    EXPECT_EQ(nearest_name("", kNames), "queueSize");
    EXPECT_FALSE(nearest_name(std::string(1'000'000, 'x'), kNames).empty());
    EXPECT_EQ(nearest_name("anything", {}), "");
}

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

}  // namespace jobstrand::cli
