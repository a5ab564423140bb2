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
using testing::HasSubstr;

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

TEST_F(CliUsage, Config_docs_are_the_table_of_the_settings) {
    EXPECT_EQ(run_bare({"config", "docs"}).out, cli::settings_as_markdown());
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
    EXPECT_EQ(run({"stats"}).err, "nobody serves emial: 1 job waits\n");
    EXPECT_THAT(
        ok({"stats", "-o", "json"}),
        HasSubstr("\"unserved\":[{\"handlerType\":\"emial\",\"needs\":null,\"category\":null,")
    );
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
