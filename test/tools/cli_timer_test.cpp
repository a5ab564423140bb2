#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliTimer : public CliTest {
protected:
    std::string add_timer(const std::string& id) {
        return add({"--type", "noop", "--id", id, "--due", "2126-11-20T10:00:00Z"});
    }
};

TEST_F(CliTimer, Ls_and_show_know_timers_only) {
    add_timer("a");
    add({"--type", "noop", "--id", "b"});
    EXPECT_EQ(ok({"timer", "ls", "-o", "name"}), "a\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--due-before", "2126-11-20"}), "");
    EXPECT_THAT(ok({"timer", "show", "a"}), HasSubstr("2126-11-20T10:00:00.000Z"));
    const CliResult other = run({"timer", "show", "b"});
    EXPECT_EQ(other.code, ExitCode::not_found);
    EXPECT_EQ(other.err, "jobstrand: job b stands in place executable, not in timer\n");
}

TEST_F(CliTimer, Fire_makes_timers_executable) {
    add_timer("a");
    add_timer("b");
    EXPECT_EQ(ok({"timer", "fire", "a", "b", "-o", "name"}), "a\nb\n");
    EXPECT_EQ(places(), "executable=2");
    EXPECT_EQ(run({"timer", "fire", "a"}).code, ExitCode::not_found);
    EXPECT_THAT(run({"timer", "fire", "a"}).err, HasSubstr("job a stands in place executable"));
    EXPECT_EQ(run({"timer", "fire", "nobody"}).code, ExitCode::not_found);
    EXPECT_EQ(run({"timer", "fire"}).code, ExitCode::wrong_usage);
}

TEST_F(CliTimer, Reschedule_gives_another_due_date) {
    add_timer("a");
    ok({"timer", "reschedule", "a", "--due", "2126-12-24T18:00:00+01:00"});
    EXPECT_EQ(field("a", "dueDate"), "\"2126-12-24T17:00:00.000Z\"");
    ok({"timer", "reschedule", "a", "--due-in", "P400Y"});
    EXPECT_EQ(places(), "timer=1");
}

TEST_F(CliTimer, Reschedule_refuses_what_is_no_time_and_changes_nothing) {
    add_timer("a");
    EXPECT_EQ(run({"timer", "reschedule", "a"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"timer", "reschedule", "a", "--due", "soon"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"timer", "reschedule", "a", "--due-in", "P"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"timer", "reschedule", "nobody", "--due-in", "PT1S"}).code, ExitCode::not_found);
    EXPECT_EQ(field("a", "dueDate"), "\"2126-11-20T10:00:00.000Z\"");
}

TEST_F(CliTimer, Rm_deletes_timers_only) {
    add_timer("a");
    add_timer("b");
    add({"--type", "noop", "--id", "c"});
    EXPECT_EQ(run({"timer", "rm", "c"}).code, ExitCode::not_found);
    ok({"timer", "rm", "a"});
    EXPECT_EQ(run({"timer", "rm", "--all"}).code, ExitCode::refused);
    ok({"timer", "rm", "--all", "--yes"});
    EXPECT_EQ(places(), "executable=1");
}

/// `tick` is a series whose waiting turn is the job `turn`.
class CliTurn : public CliTimer {
protected:
    CliTurn() {
        add(
            {"--type",
             "noop",
             "--id",
             "turn",
             "--series",
             "tick",
             "--group",
             "g",
             "--repeat",
             "0 0 12 * * ?",
             "--zone",
             "Asia/Tokyo",
             "--start",
             "2126-01-01"}
        );
    }

    std::string next_fire() {
        return json::parse(ok({"series", "show", "tick", "-o", "json"})).at("nextFire");
    }
};

// R141
TEST_F(CliTurn, Ls_shows_turns_with_their_series_beside_other_timers) {
    add_timer("single");
    const json timers = json::parse(ok({"timer", "ls", "-o", "json"}));
    ASSERT_EQ(timers.size(), 2U);
    EXPECT_EQ(timers[0].at("id"), "single");
    EXPECT_EQ(timers[0].at("state"), "waiting");
    EXPECT_EQ(timers[0].at("group"), nullptr);
    EXPECT_EQ(timers[1].at("series"), "tick");
    EXPECT_EQ(timers[1].at("group"), "g");
    EXPECT_EQ(timers[1].at("repeat"), "0 0 12 * * ?");
    EXPECT_EQ(timers[1].at("dueDate"), "2126-01-01T03:00:00.000Z");
    const std::string table = ok({"timer", "ls", "--zone", "Asia/Tokyo"});
    EXPECT_THAT(table, HasSubstr("2126-01-01T12:00:00+09:00"));
    EXPECT_THAT(table, HasSubstr("REPEAT"));
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--group", "g"}), "turn\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--group", "none"}), "");
    EXPECT_EQ(
        json::parse(ok({"timer", "show", "turn", "-o", "json"})).at("nextFire"),
        "2126-01-01T03:00:00.000Z"
    );
}

TEST_F(CliTurn, Ls_leaves_columns_out_that_say_nothing) {
    ok({"series", "end", "tick"});
    add_timer("single");
    const std::string table = ok({"timer", "ls"});
    EXPECT_EQ(table.find("REPEAT"), std::string::npos);
    EXPECT_THAT(table, HasSubstr("NEXT"));
}

TEST_F(CliTurn, Ls_finds_paused_timers_when_asked) {
    ok({"series", "pause", "tick"});
    add({"--type", "noop", "--id", "no-timer", "--instance", "i"});
    ok({"instance", "suspend", "i"});
    add_timer("single");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name"}), "single\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--state", "paused"}), "turn\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--state", "all"}), "single\nturn\n");
    EXPECT_EQ(run({"timer", "ls", "--state", "ended"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"timer", "ls", "--zone", "Nowhere"}).code, ExitCode::wrong_usage);
}

TEST_F(CliTurn, Fire_takes_the_turn_early_and_says_whose_it_was) {
    const CliResult fired = run({"timer", "fire", "turn"});
    EXPECT_EQ(fired.code, ExitCode::done);
    EXPECT_EQ(fired.err, "turn was the next turn of series tick, which goes on\n");
    EXPECT_EQ(places(), "executable=1 timer=1");
    EXPECT_EQ(next_fire(), "2126-01-02T03:00:00.000Z");
}

TEST_F(CliTurn, Reschedule_moves_this_turn_only) {
    const CliResult moved = run({"timer", "reschedule", "turn", "--due", "2126-06-01"});
    EXPECT_EQ(moved.code, ExitCode::done);
    EXPECT_THAT(moved.err, HasSubstr("only this turn of series tick moves"));
    EXPECT_EQ(next_fire(), "2126-06-01T00:00:00.000Z");
    EXPECT_EQ(
        json::parse(ok({"series", "show", "tick", "-o", "json"})).at("repeat"), "0 0 12 * * ?"
    );
}

TEST_F(CliTurn, Rm_refuses_the_turn_that_carries_a_series_on) {
    const CliResult refused = run({"timer", "rm", "turn"});
    EXPECT_EQ(refused.code, ExitCode::refused);
    EXPECT_EQ(
        refused.err,
        "jobstrand: job turn carries series tick on: `jobstrand series end tick` removes it\n"
    );
    EXPECT_EQ(run({"job", "rm", "turn"}).code, ExitCode::refused);
    add_timer("single");
    const CliResult partly = run({"timer", "rm", "--all", "--yes"});
    EXPECT_EQ(partly.code, ExitCode::partly_done);
    EXPECT_THAT(partly.err, HasSubstr("1 jobs carry series on and stay"));
    EXPECT_EQ(ok({"timer", "ls", "-o", "name"}), "turn\n");
}

}  // namespace
}  // namespace jobstrand::test
