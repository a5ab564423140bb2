#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"
#include "tools/process/this_process.hpp"
#include "tools/settings/settings_text.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cstdlib>
#include <fstream>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace jobstrand::test
