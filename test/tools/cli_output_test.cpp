#include "test/fixtures/background_process.hpp"
#include "test/fixtures/broken_stream.hpp"
#include "test/tools/cli_fixture.hpp"
#include "tools/text/terminal_text.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <new>
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

/// What is seen where stdout is a terminal.
class CliTerminal : public CliTest {
protected:
    CliTerminal() { environment_["TERM"] = "xterm"; }

    std::string
    seen(const std::vector<std::string>& arguments, std::optional<std::size_t> columns = 80) {
        std::vector<std::string> all{"--db", url()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        const int code = cli::run_cli(
            all, {.in = in, .out = out, .err = err, .out_columns = columns}, environment_
        );
        EXPECT_EQ(code, 0) << err.str();
        return out.str();
    }
};

TEST_F(CliTerminal, Colour_is_for_terminals_that_have_it) {
    add();
    EXPECT_THAT(seen({"job", "ls"}), HasSubstr("\x1b[1mID"));
    EXPECT_THAT(seen({"job", "ls"}, std::nullopt), Not(HasSubstr("\x1b")));
    environment_["NO_COLOR"] = "1";
    EXPECT_THAT(seen({"job", "ls"}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(seen({"job", "ls", "--color", "always"}), HasSubstr("\x1b[1mID"));
    environment_.erase("NO_COLOR");
    environment_["TERM"] = "dumb";
    EXPECT_THAT(seen({"job", "ls"}), Not(HasSubstr("\x1b")));
}

TEST_F(CliTerminal, What_went_wrong_stands_out_where_stderr_is_a_terminal) {
    const auto said = [this](const std::vector<std::string>& arguments, bool is_terminal) {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        (void)cli::run_cli(
            arguments,
            {.in = in, .out = out, .err = err, .err_is_terminal = is_terminal},
            environment_
        );
        return err.str();
    };
    const std::string red = "\x1b[31mjobstrand:\x1b[0m ";
    const std::vector<std::string> missing{"job", "show", "x", "--db", url()};
    for (const std::vector<std::string>& mistake :
         {missing, {"job", "shwo"}, {"job"}, {"stats", "--db", "oracle://h/d"}}) {
        EXPECT_THAT(said(mistake, true), HasSubstr(red));
        EXPECT_THAT(said(mistake, false), Not(HasSubstr("\x1b")));
    }
    EXPECT_THAT(
        said({"job", "show", "x", "--db", url(), "--color", "never"}, true), Not(HasSubstr("\x1b"))
    );
    environment_["NO_COLOR"] = "1";
    EXPECT_THAT(said(missing, true), Not(HasSubstr("\x1b")));
}

TEST_F(CliTerminal, Help_is_as_wide_as_the_terminal) {
    const auto longest = [](const std::string& text) {
        std::size_t most = 0;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            most = std::max(most, line.size());
        }
        return most;
    };
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--help"},
          {"help", "series"},
          {"series", "reschedule", "--help"}}) {
        const std::string narrow = seen(words, 80);
        std::istringstream lines(narrow.substr(0, narrow.find("Examples:")));
        EXPECT_LE(longest(lines.str()), 80U) << narrow;
    }
    EXPECT_GT(longest(seen({"--help"}, std::nullopt)), 80U);
}

TEST_F(CliTerminal, Times_are_told_from_now_unless_a_zone_is_asked_for) {
    add({"--type", "noop", "--due-in", "3h 30m"});
    EXPECT_THAT(seen({"timer", "ls"}, 140), HasSubstr("in 3 h"));
    EXPECT_THAT(seen({"timer", "ls"}, std::nullopt), Not(HasSubstr("in 3 h")));
    EXPECT_THAT(seen({"timer", "ls", "-o", "json"}), Not(HasSubstr("in 3 h")));
    EXPECT_THAT(seen({"timer", "ls", "-o", "csv"}), Not(HasSubstr("in 3 h")));
    EXPECT_THAT(seen({"timer", "ls", "--zone", "Europe/Berlin"}, 140), Not(HasSubstr("in 3 h")));
}

TEST_F(CliTerminal, Whoever_asks_is_given_colour_or_none) {
    add();
    EXPECT_THAT(seen({"job", "ls", "--color", "never"}), Not(HasSubstr("\x1b")));
    EXPECT_THAT(seen({"--color", "always", "job", "ls"}, std::nullopt), HasSubstr("\x1b[1mID"));
    expect_wrong_usage(
        {"job", "ls"}, {{{"--color", "sometimes"}, "--color must be auto, always or never"}}
    );
}

TEST_F(CliTerminal, Data_for_programs_is_never_coloured) {
    const std::string id = add_dead();
    for (const char* format : {"json", "jsonl", "csv", "name"}) {
        EXPECT_THAT(
            seen({"dead", "ls", "--color", "always", "-o", format}), Not(HasSubstr("\x1b"))
        );
    }
}

TEST_F(CliTerminal, Ids_are_short_where_there_is_no_room_and_name_the_job_even_so) {
    const std::string id =
        add_dead("connection refused by the server at the other end of the line");
    const std::string shown = id.substr(0, 18) + "…";
    for (const std::size_t columns : {40U, 80U}) {
        EXPECT_THAT(seen({"dead", "ls"}, columns), AllOf(HasSubstr(shown), Not(HasSubstr(id))));
    }
    EXPECT_THAT(ok({"dead", "show", shown}), HasSubstr(id));
    EXPECT_THAT(seen({"dead", "ls"}, 140), HasSubstr(id));
    EXPECT_THAT(seen({"dead", "ls"}, std::nullopt), HasSubstr(id));
}

TEST_F(CliTerminal, What_doctor_tells_fits_a_narrow_terminal) {
    engine().node_store().register_node(
        {.node = "node-1", .incarnation = "1", .version = "0.1.0"},
        std::vector<std::string>{"noop"},
        engine().clock().now(),
        engine().clock().now() + std::chrono::hours(1)
    );
    ok({"job", "cancel", add(), "--reason", std::string(30, 'x') + " and so on", "--by", "ada"});
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET FAILED_TIME_ = '2026-01-01 10:15:30.123'");
    const std::string narrow = seen({"doctor"}, 60);
    EXPECT_THAT(narrow, HasSubstr("\n        -> "));
    std::istringstream lines(narrow);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(cli::width_of(line), 60U) << line;
    }
    EXPECT_THAT(
        seen({"doctor"}, std::nullopt), testing::ContainsRegex("note +dead letters +1; the")
    );
}

TEST_F(CliTerminal, The_messages_of_the_log_get_the_room) {
    const std::string id = add_dead("no such host: mail.example, and nobody knows it");
    EXPECT_THAT(seen({"log", "ls"}, 120), HasSubstr("no such host: mail.example"));
}

/// Commands that read stdin. What they read changes the database as a whole or not at all.
class CliInput : public CliTest {
protected:
    CliResult run_on(std::istream& in, const std::vector<std::string>& arguments) {
        std::vector<std::string> all{"--db", url()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return run_reading(in, all);
    }

    /// The program itself, by a shell.
    ProgramResult run_in_shell(const std::string& arguments, const std::string& input = {}) {
        return run_program(
            {"/bin/sh", "-c", "'" JOBSTRAND_PROGRAM "' --db '" + url() + "' " + arguments}, input
        );
    }

    void expect_nothing_changed() {
        EXPECT_EQ(places(), "");
        EXPECT_EQ(ok({"calendar", "ls", "-o", "jsonl"}), "");
    }
};

std::string noop_lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        text += R"({"handlerType":"noop","payload":{"n":)" + std::to_string(i) + "}}\n";
    }
    return text;
}

struct Reader {
    std::vector<std::string> arguments;
    std::string text;  ///< Begins like what it wants to read, and would do by itself.
};

std::vector<Reader> readers() {
    return {
        {{"job", "add", "--from", "-"}, noop_lines(3000)},
        {{"job", "add", "--from", "-", "--keep-going"}, noop_lines(3000)},
        {{"job", "add", "--type", "noop", "--payload", "-"}, "{\"n\":1}"},
        {{"calendar", "set", "holidays", "--from", "-"}, "annual 12-25"},
    };
}

TEST_F(CliInput, What_breaks_off_changes_nothing_and_is_a_failure) {
    for (const Reader& reader : readers()) {
        BrokenStream broken(reader.text);
        const CliResult result = run_on(broken, reader.arguments);
        EXPECT_EQ(result.code, ExitCode::failed) << reader.arguments[1];
        EXPECT_EQ(result.err, "jobstrand: cannot read stdin: Input/output error\n");
        EXPECT_EQ(result.out, "");
        expect_nothing_changed();
    }
}

TEST_F(CliInput, A_lack_of_memory_changes_nothing_and_is_a_failure) {
    for (const Reader& reader : readers()) {
        BrokenStream broken(reader.text, std::make_exception_ptr(std::bad_alloc()));
        const CliResult result = run_on(broken, reader.arguments);
        EXPECT_EQ(result.code, ExitCode::failed) << reader.arguments[1];
        EXPECT_EQ(result.err, "jobstrand: there is not enough memory\n");
        expect_nothing_changed();
    }
}

TEST_F(CliInput, The_same_texts_are_taken_when_they_come_to_their_end) {
    for (const Reader& reader : readers()) {
        ok(reader.arguments, reader.text);
    }
    EXPECT_EQ(places(), "executable=6001");
}

TEST_F(CliInput, A_real_stdin_that_cannot_be_read_is_a_failure) {
    for (const char* from : {"</", "<&-", "<'" JOBSTRAND_SOURCE_DIR "'"}) {
        for (const char* command :
             {"job add --from - ",
              "job add --type noop --payload - ",
              "calendar set x --from - "}) {
            const ProgramResult result = run_in_shell(std::string(command) + from);
            EXPECT_EQ(result.exit_code, 1) << command << from;
            EXPECT_THAT(result.err, HasSubstr("jobstrand: cannot read stdin: ")) << from;
        }
    }
    expect_nothing_changed();
}

TEST_F(CliInput, A_real_stdin_is_read_to_its_end) {
    const ProgramResult file = run_in_shell("job add --from -", noop_lines(5000));
    EXPECT_EQ(file.exit_code, 0) << file.err;
    EXPECT_EQ(places(), "executable=5000");
    const ProgramResult pipe = run_program(
        {"/bin/sh", "-c", "cat | '" JOBSTRAND_PROGRAM "' --db '" + url() + "' job add --from -"},
        noop_lines(5000)
    );
    EXPECT_EQ(pipe.exit_code, 0) << pipe.err;
    EXPECT_EQ(places(), "executable=10000");
}

TEST_F(CliInput, A_payload_that_is_too_long_or_nested_too_deep_is_refused) {
    const std::vector<std::string> add{"job", "add", "--type", "noop", "--payload", "-"};
    const CliResult large = run(add, '"' + std::string(9'000'000, 'x') + '"');
    EXPECT_EQ(large.code, ExitCode::wrong_usage);
    EXPECT_THAT(large.err, HasSubstr("--payload is longer than 8388608 bytes"));
    const CliResult deep = run(add, std::string(8'000'000, '['));
    EXPECT_EQ(deep.code, ExitCode::wrong_usage);
    EXPECT_THAT(deep.err, HasSubstr("more than 1000 deep"));
    const CliResult in_a_line =
        run({"job", "add", "--from", "-"},
            noop_lines(1) + R"({"handlerType":"command","payload":{"command":"x","args":)" +
                std::string(2000, '[') + std::string(2000, ']') + "}}\n");
    EXPECT_EQ(in_a_line.code, ExitCode::wrong_usage);
    EXPECT_THAT(in_a_line.err, HasSubstr("stdin:2: arrays and objects lie in each other"));
    expect_nothing_changed();
}

TEST_F(CliInput, A_line_with_many_mistakes_is_told_with_the_first_of_them) {
    std::string line = "{\"handlerType\":\"noop\"";
    for (int i = 0; i < 90; ++i) {
        line += ",\"field" + std::to_string(i) + "\":1";
    }
    const CliResult result = run({"job", "add", "--from", "-"}, line + "}");
    EXPECT_EQ(result.code, ExitCode::wrong_usage);
    EXPECT_THAT(result.err, HasSubstr("a job has no field field0;"));
    EXPECT_EQ(result.err.find("field20;"), std::string::npos);
    expect_nothing_changed();
}

}  // namespace

}  // namespace jobstrand::test
