#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliDead : public CliTest {};

TEST_F(CliDead, Ls_finds_dead_letters_by_their_message) {
    const std::string refused = add_dead("connection refused");
    const std::string broken = add_dead("disk is full");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name"}), refused + "\n" + broken + "\n");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name", "--error", "refused"}), refused + "\n");
    EXPECT_THAT(ok({"dead", "ls"}), HasSubstr("disk is full"));
}

TEST_F(CliDead, Ls_shows_when_each_died_how_long_ago_and_after_how_many_attempts) {
    add_dead("it broke");
    const std::string table = ok({"dead", "ls"});
    EXPECT_THAT(table, testing::ContainsRegex("ID +TYPE +DIED +AGE +ATTEMPTS"));
    EXPECT_THAT(table, testing::ContainsRegex("[0-9] s ago +1 +"));
    EXPECT_THAT(table, testing::Not(HasSubstr("PLACE")));
    const json dead = json::parse(ok({"dead", "ls", "-o", "json"})).at(0);
    EXPECT_EQ(dead.at("attempts"), 1);
    EXPECT_TRUE(dead.at("failedTime").is_string());
    EXPECT_FALSE(dead.contains("age"));
}

TEST_F(CliDead, Ls_newest_lists_those_first_that_died_last) {
    const std::string born_first = add({"--type", "noop"});
    const std::string died_first = add_dead();
    ok({"job", "rm", born_first});
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET FAILED_TIME_ = '2026-01-01 00:00:00.000'");
    const std::string died_last = add_dead();
    execute("INSERT INTO ACT_RU_DEADLETTER_JOB (ID_, TYPE_) VALUES ('flowables', 'message')");
    const CliResult page = run({"dead", "ls", "--newest", "--limit", "2", "-o", "name"});
    EXPECT_EQ(page.out, died_last + "\n" + died_first + "\n");
    EXPECT_EQ(page.err, "there are more: go on with --after " + died_first + "\n");
    EXPECT_EQ(ok({"dead", "ls", "--newest", "-o", "name", "--after", died_first}), "flowables\n");
    EXPECT_EQ(run({"dead", "ls", "--newest", "--after", "gone"}).code, ExitCode::not_found);
    EXPECT_THAT(ok({"dead", "ls"}), HasSubstr("flowables"));
}

TEST_F(CliDead, Ls_finds_them_by_the_time_of_death_and_by_the_message) {
    const std::string old = add_dead("connection refused");
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET FAILED_TIME_ = '2026-01-01 00:00:00.000'");
    const std::string young = add_dead("connection reset");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name", "--failed-before", "2026-01-02"}), old + "\n");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name", "--failed-after", "2026-01-02"}), young + "\n");
    EXPECT_EQ(ok({"dead", "ls", "-o", "name", "--message", "reset"}), young + "\n");
}

TEST_F(CliDead, What_a_list_names_can_be_requeued_through_a_pipe) {
    const std::string refused = add_dead("connection refused");
    add_dead("disk is full");
    const std::string names = ok({"dead", "ls", "--message", "refused", "-o", "name"});
    EXPECT_EQ(ok({"dead", "requeue", "-", "-o", "name"}, names), refused + "\n");
    EXPECT_EQ(places(), "executable=1 dead=1");
    EXPECT_THAT(ok({"dead", "requeue", "-"}, "\r\n" + refused + "\r\n"), HasSubstr("skipped"));
}

// An empty list means nothing, and never everything.
TEST_F(CliDead, An_empty_list_of_ids_changes_nothing) {
    add_dead();
    ok({"dead", "requeue", "-"}, "");
    ok({"dead", "rm", "-"}, "\n\n");
    EXPECT_EQ(places(), "dead=1");
    EXPECT_EQ(run({"dead", "rm", "-", "-"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "rm", "-"}, std::string(5000, 'x')).code, ExitCode::wrong_usage);
}

TEST_F(CliDead, On_a_terminal_many_are_asked_for_with_a_count_by_type) {
    add_dead();
    add_dead();
    is_terminal_ = true;
    const CliResult no = run({"dead", "requeue", "--all"}, "n\n");
    EXPECT_EQ(no.code, ExitCode::refused);
    EXPECT_THAT(no.err, HasSubstr("This requeues 2 dead letters: 2 noop. [y/N]"));
    EXPECT_EQ(places(), "dead=2");
    EXPECT_THAT(
        run({"dead", "rm", "--all"}, "n\n").err,
        HasSubstr("This removes 2 dead letters for good: 2 noop.")
    );
    EXPECT_EQ(run({"dead", "requeue", "--type", "noop", "--yes"}).code, ExitCode::done);
    EXPECT_EQ(places(), "executable=2");
    EXPECT_THAT(
        run({"job", "rm", "--all"}, "n\n").err,
        HasSubstr("This removes 2 jobs of place executable for good: 2 noop.")
    );
}

TEST_F(CliDead, Requeue_may_be_slow_or_spread_so_that_no_storm_is_repeated) {
    for (int i = 0; i < 4; ++i) {
        add_dead();
    }
    ok({"dead", "requeue", "--all", "--spread", "PT1H", "--rate", "1000"});
    EXPECT_EQ(places(), "executable=1 timer=3");
    expect_wrong_usage(
        {"dead", "requeue", "--all"},
        {{{"--rate", "0"}, "--rate must be"},
         {{"--spread", "soon"}, "--spread must be an exact duration"},
         {{"--spread", "3650d"}, "--spread must be from a second to a year"}}
    );
}

TEST_F(CliDead, The_commands_of_the_document_run_as_they_are_written) {
    EXPECT_GE(run_document("docs/cli.md", "## Dead letters"), 7);
}

TEST_F(CliDead, Show_has_the_message_and_all_of_the_details) {
    std::string details;
    for (int i = 0; i < 200; ++i) {
        details += "  at frame " + std::to_string(i) + "\n";
    }
    const std::string id = add_dead("it broke", details);
    const json shown = json::parse(ok({"dead", "show", id, "-o", "json"}));
    EXPECT_EQ(shown.at("exceptionMessage"), "it broke");
    EXPECT_EQ(shown.at("exceptionDetails"), details);
    EXPECT_THAT(ok({"dead", "show", id}), HasSubstr("\n    at frame 199\n"));
    EXPECT_EQ(run({"dead", "show", add()}).code, ExitCode::not_found);
}

TEST_F(CliDead, Requeue_all_gives_every_dead_letter_new_attempts) {
    const std::string id = add_dead();
    add_dead();
    EXPECT_EQ(
        ok({"dead", "requeue", "--all", "--retries", "1", "-o", "json"}),
        "{\"requeued\":2,\"skipped\":0}\n"
    );
    EXPECT_EQ(places(), "executable=2");
    EXPECT_EQ(field(id, "retries"), "1");
    EXPECT_EQ(ok({"dead", "requeue", "--all", "-o", "json"}), "{\"requeued\":0,\"skipped\":0}\n");
}

TEST_F(CliDead, Requeue_by_id_may_be_repeated) {
    const std::string id = add_dead();
    ok({"dead", "requeue", id, "--retries", "5"});
    EXPECT_EQ(field(id, "retries"), "5");
    const CliResult again = run({"dead", "requeue", id});
    EXPECT_EQ(again.code, ExitCode::done);
    EXPECT_THAT(again.err, HasSubstr("stands in place executable: skipped"));
    EXPECT_EQ(field(id, "retries"), "5");
    EXPECT_EQ(run({"dead", "requeue", "nobody"}).code, ExitCode::not_found);
    EXPECT_EQ(run({"dead", "requeue", "nobody", add_dead()}).code, ExitCode::partly_done);
}

TEST_F(CliDead, Requeue_may_wait) {
    const std::string id = add_dead();
    ok({"dead", "requeue", id, "--due", "2126-01-01"});
    EXPECT_EQ(field(id, "place"), "\"timer\"");
    EXPECT_EQ(field(id, "dueDate"), "\"2126-01-01T00:00:00.000Z\"");
}

TEST_F(CliDead, Requeue_by_filter_takes_what_matches) {
    add_dead("connection refused");
    add_dead("disk is full");
    ok({"dead", "requeue", "--error", "refused"});
    EXPECT_EQ(places(), "executable=1 dead=1");
}

TEST_F(CliDead, Requeue_without_a_choice_or_with_bad_values_changes_nothing) {
    const std::string id = add_dead();
    EXPECT_EQ(run({"dead", "requeue"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "requeue", id, "--retries", "0"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "requeue", id, "--due-in", "x"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"dead", "requeue", id, "--all"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(ok({"dead", "requeue", "--all", "--dry-run", "-o", "name"}), id + "\n");
    EXPECT_EQ(places(), "dead=1");
}

TEST_F(CliDead, Rm_by_id_needs_no_yes_and_by_filter_does) {
    const std::string id = add_dead();
    add_dead();
    ok({"dead", "rm", id});
    EXPECT_EQ(places(), "dead=1");
    EXPECT_EQ(run({"dead", "rm", "--all"}).code, ExitCode::refused);
    EXPECT_EQ(places(), "dead=1");
    EXPECT_EQ(
        ok({"dead", "rm", "--all", "--yes", "-o", "json"}), "{\"removed\":1,\"skipped\":0}\n"
    );
    EXPECT_EQ(places(), "");
}

}  // namespace
}  // namespace jobstrand::test
