#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliJobSet : public CliTest {};

TEST_F(CliJobSet, Set_changes_what_is_named_and_nothing_else) {
    const std::string id = add({"--type", "noop", "--priority", "5", "--payload", "1"});
    ok({"job", "set", id, "--retries", "9", "--payload", "[2]", "--retry-cycle", "R9/PT1S"});
    EXPECT_EQ(field(id, "retries"), "9");
    EXPECT_EQ(field(id, "payload"), "[2]");
    EXPECT_EQ(field(id, "retryCycle"), "\"R9/PT1S\"");
    EXPECT_EQ(field(id, "priority"), "5");
    ok({"job", "set", id, "--priority", "-7"});
    EXPECT_EQ(field(id, "priority"), "-7");
}

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

// R063
TEST_F(CliJobSet, Set_without_retries_makes_a_dead_letter_that_can_be_requeued) {
    const std::string id = add();
    ok({"job", "set", id, "--retries", "0"});
    EXPECT_EQ(places(), "dead=1");
    EXPECT_EQ(field(id, "exceptionMessage"), "\"its retries were set to 0\"");
    ok({"dead", "requeue", id, "--retries", "2"});
    EXPECT_EQ(places(), "executable=1");
    EXPECT_EQ(field(id, "retries"), "2");
    EXPECT_EQ(run({"job", "add", "--type", "noop", "--retries", "0"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"job", "set", id, "--retries", "-1"}).code, ExitCode::wrong_usage);
}

// R078
TEST_F(CliJobSet, Many_that_a_filter_matches_are_set_and_due_now) {
    for (const char* const id : {"a", "b"}) {
        add({"--type", "mail", "--id", id, "--due-in", "P1D"});
    }
    add({"--type", "report", "--id", "c", "--due-in", "P1D"});
    const json answer = json::parse(
        ok({"job",
            "set",
            "--place",
            "timer",
            "--type",
            "mail",
            "--retries",
            "7",
            "--priority",
            "-5",
            "--due",
            "now",
            "-o",
            "json"})
    );
    EXPECT_EQ(answer, json({{"set", 2}, {"locked", 0}, {"refused", 0}}));
    EXPECT_EQ(field("a", "retries"), "7");
    EXPECT_EQ(field("b", "priority"), "-5");
    EXPECT_EQ(field("c", "retries"), "3");
    EXPECT_EQ(ok({"timer", "ls", "--due-before", "1m", "-o", "name"}), "a\nb\n");
}

TEST_F(CliJobSet, Ids_are_answered_one_by_one_and_may_come_from_stdin) {
    const std::string held = add({"--type", "noop", "--id", "held"});
    lock(held);
    add({"--type", "noop", "--id", "a"});
    const CliResult set = run({"job", "set", "-", "--retries", "9"}, "a\nheld\nnobody\n");
    EXPECT_EQ(set.code, ExitCode::partly_done);
    EXPECT_THAT(set.err, HasSubstr("a node holds job held"));
    EXPECT_THAT(set.err, HasSubstr("there is no job nobody"));
    EXPECT_EQ(field("a", "retries"), "9");
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
