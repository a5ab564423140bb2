#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;
using testing::Not;

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

TEST_F(CliTerminal, Ids_are_whole_at_every_width) {
    const std::string id =
        add_dead("connection refused by the server at the other end of the line");
    for (const std::size_t columns : {40U, 80U, 140U}) {
        EXPECT_THAT(seen({"dead", "ls"}, columns), HasSubstr(id));
    }
}

}  // namespace
}  // namespace jobstrand::test
