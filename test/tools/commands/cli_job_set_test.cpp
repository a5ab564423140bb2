#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <string>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

class CliJobSet : public CliTest {};

TEST_F(CliJobSet, Set_refuses_bad_values_locked_jobs_and_unknown_ids) {
    const std::string id = add();
    EXPECT_EQ(run({"job", "set", id}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", id, "--retries", "x"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", id, "--payload", "{"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", id, "--retry-cycle", "soon"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", "nobody", "--retries", "1"}).code, ExitCode::not_found);
    lock(id);
    EXPECT_EQ(run({"job", "set", id, "--retries", "1"}).code, ExitCode::refused);
    EXPECT_EQ(field(id, "retries"), "3");
    EXPECT_EQ(run({"job", "set", add_dead(), "--retries", "1"}).code, ExitCode::refused);
}

TEST_F(CliJobSet, A_dry_run_and_what_is_not_meant_change_nothing) {
    add({"--type", "mail", "--id", "a"});
    const CliResult dry = run({"job", "set", "--type", "mail", "--retries", "9", "--dry-run"});
    EXPECT_EQ(dry.code, ExitCode::done);
    EXPECT_THAT(dry.err, HasSubstr("1 jobs would be changed; nothing was"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--retries", "9"},
          {"a", "--all", "--retries", "9"},
          {"--type", "mail"},
          {"--type", "mail", "--payload", "1"},
          {"--all", "--place", "nowhere", "--retries", "9"}}) {
        std::vector<std::string> line{"job", "set"};
        line.insert(line.end(), words.begin(), words.end());
        EXPECT_EQ(run(line).code, ExitCode::wrong_usage) << words.back();
    }
    EXPECT_EQ(
        run({"job", "set", "--all", "--place", "dead", "--due", "now"}).code, ExitCode::refused
    );
    EXPECT_EQ(field("a", "retries"), "3");
}

TEST_F(CliJobSet, What_is_refused_among_many_is_counted) {
    add_dead();
    add({"--type", "noop", "--id", "turn", "--series", "s", "--repeat", "R/PT1H"});
    add({"--type", "noop", "--id", "single", "--due-in", "P1D"});
    const CliResult given_up = run({"job", "set", "--all", "--place", "timer", "--retries", "0"});
    EXPECT_EQ(given_up.code, ExitCode::partly_done);
    EXPECT_EQ(places(), "timer=1 dead=2");
    const CliResult dead = run({"job", "set", "--all", "--place", "dead", "--retries", "5"});
    EXPECT_EQ(dead.code, ExitCode::refused);
    EXPECT_THAT(dead.err, HasSubstr("2 jobs are refused"));
}

}  // namespace
}  // namespace jobstrand::test
