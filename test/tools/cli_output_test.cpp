#include "test/fixtures/background_process.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <regex>
#include <sstream>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// What is printed has arrived, or the exit code says that it has not.
class CliOutput : public CliTest {
protected:
    /// The program itself, by a shell: `words` may redirect.
    ProgramResult run_in_shell(const std::string& words) {
        return run_program({"/bin/sh", "-c", program() + words});
    }

    [[nodiscard]] std::string program() const {
        return "'" JOBSTRAND_PROGRAM "' --db '" + url() + "' ";
    }

    /// One call of each kind of printing.
    std::vector<std::string> printing_calls() {
        const std::string id = add();
        const std::string dead = add_dead();
        ok({"calendar", "set", "sundays", "weekly SUN"});
        ok({"job", "add", "--type", "x", "--repeat", "R/PT1H", "--series", "hourly"});
        return {
            "--help",
            "--version",
            "job --help",
            "job ls",
            "job ls -o json",
            "job ls -o jsonl",
            "job ls -o csv",
            "job ls -o name",
            "job show " + id,
            "job show " + id + " -o json",
            "job add --type noop",
            "job set " + id + " --priority 3",
            "job rm --place suspended --all --yes",
            "job rm " + id + " --dry-run",
            "timer ls -o json",
            "timer next '0 0 12 * * ?'",
            "timer next '0 0 12 * * ?' -o csv",
            "series ls",
            "series show hourly",
            "group ls",
            "calendar ls",
            "calendar show sundays -o jsonl",
            "calendar set sundays 'weekly SUN'",
            "dead ls -o csv",
            "dead show " + dead,
            "dead requeue " + dead,
            "instance suspend order-17",
            "instance ls -o json",
            "stats",
            "stats -o json",
            "top --once",
            "top --once -o json",
            "schema check",
            "schema print",
            "schema upgrade",
            "schema index priority",
            "config show",
            "config docs",
            "config check",
        };
    }
};

TEST_F(CliOutput, What_a_full_disk_does_not_take_is_a_failure) {
    for (const std::string& call : printing_calls()) {
        const ProgramResult result = run_in_shell(call + " >/dev/full");
        EXPECT_EQ(result.exit_code, 1) << call;
        EXPECT_THAT(result.err, HasSubstr("jobstrand: the output could not be written")) << call;
    }
}

TEST_F(CliOutput, What_a_closed_stdout_does_not_take_is_a_failure) {
    for (const std::string& call : printing_calls()) {
        EXPECT_EQ(run_in_shell(call + " >&-").exit_code, 1) << call;
    }
}

TEST_F(CliOutput, What_a_closed_pipe_does_not_take_is_a_failure) {
    add();
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    ::close(ends[0]);
    // Whoever ignores SIGPIPE asks for an error in its place, as a service or a Python program
    // does.
    const ProgramResult result = run_program(
        {"/bin/bash",
         "-c",
         "trap '' PIPE; exec " + program() + "job ls >&" + std::to_string(ends[1])}
    );
    ::close(ends[1]);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("the output could not be written"));
}

TEST_F(CliOutput, A_reader_that_has_seen_enough_ends_the_program_quietly) {
    ok({"job", "add", "--from", "-"}, [] {
        std::string lines;
        for (int i = 0; i < 5000; ++i) {
            lines += "{\"handlerType\":\"noop\"}\n";
        }
        return lines;
    }());
    // As a shell starts it: the client library of MariaDB ignores the signal for this process, and
    // those that it starts.
    const ProgramResult result = run_program(
        {"/usr/bin/env",
         "--default-signal=PIPE",
         "/bin/sh",
         "-c",
         "{ " + program() + "job ls --limit 5000 -o json; echo $? >'" + path_of("code") +
             "'; } | head -n 1"}
    );
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "[\n");
    EXPECT_EQ(result.err, "");
    std::ifstream code(path_of("code"));
    int number = 0;
    code >> number;
    EXPECT_EQ(number, 128 + SIGPIPE);
}

TEST_F(CliOutput, Nothing_is_removed_behind_a_backup_that_failed) {
    const std::string dead = add_dead();
    const ProgramResult result = run_program(
        {"/bin/sh", "-c", program() + "dead ls >/dev/full && " + program() + "dead rm --all --yes"}
    );
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(places(), "dead=1");
}

TEST_F(CliOutput, A_closed_stderr_takes_no_number_from_the_database) {
    EXPECT_EQ(run_in_shell("job add --type noop --id a 2>&- <&-").out, "a\n");
    EXPECT_EQ(run_in_shell("job show nobody 2>&-").exit_code, 4);
    EXPECT_EQ(places(), "executable=1");
}

TEST_F(CliOutput, The_line_of_the_progress_has_ended_when_the_result_begins) {
    std::string jobs;
    for (int i = 0; i < 15'000; ++i) {
        jobs += "{\"handlerType\":\"noop\"}\n";
    }
    const std::vector<std::vector<std::string>> calls{
        {"--db", url(), "-o", "json", "job", "add", "--from", "-"},
        {"--db", url(), "-o", "json", "job", "rm", "--all", "--yes"},
    };
    // A fast machine has nothing to tell on the way.
    const std::regex shape("((\r\x1b\\[K[^\n\r]*)+\n)?\\{[^\n]*\\}\n");
    for (const std::vector<std::string>& call : calls) {
        std::istringstream in(jobs);
        std::ostringstream terminal;
        const int code = cli::run_cli(
            call,
            {.in = in, .out = terminal, .err = terminal, .err_is_terminal = true},
            environment_
        );
        EXPECT_EQ(code, 0);
        EXPECT_TRUE(std::regex_match(terminal.str(), shape)) << terminal.str();
    }
}

TEST_F(CliOutput, A_question_stands_on_a_line_of_its_own_before_anything_is_done) {
    add_dead();
    is_terminal_ = true;
    const CliResult no = run({"dead", "rm", "--all"}, "n\n");
    EXPECT_EQ(no.code, ExitCode::refused);
    EXPECT_THAT(
        no.err,
        AllOf(
            StartsWith("This removes 1 dead letter for good: 1 noop. [y/N] "),
            HasSubstr("nothing was changed")
        )
    );
    EXPECT_EQ(places(), "dead=1");
    const CliResult yes = run({"dead", "rm", "--all"}, "y\n");
    EXPECT_EQ(yes.code, ExitCode::done);
    EXPECT_THAT(yes.err, Not(HasSubstr("jobstrand:")));
    EXPECT_EQ(places(), "");
}

}  // namespace
}  // namespace jobstrand::test
