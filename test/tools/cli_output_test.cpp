#include "test/fixtures/broken_stream.hpp"
#include "test/tools/cli_fixture.hpp"
#include "tools/text/terminal_text.hpp"

#include <gmock/gmock.h>

#include <algorithm>
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

class CliOutput : public CliTest {};

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

}  // namespace

}  // namespace jobstrand::test
