#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliSeries : public CliTest {
protected:
    /// A series whose first turn, a job of the same name, is due in a year.
    void add_series(const std::string& key, std::vector<std::string> more = {}) {
        std::vector<std::string> all{
            "--type", "noop", "--id", key, "--series", key, "--repeat", "R/P1Y"};
        all.insert(all.end(), more.begin(), more.end());
        add(all);
    }

    std::string state(const std::string& key) { return value(key, "state"); }

    std::string value(const std::string& key, const std::string& name) {
        const json series = json::parse(ok({"series", "show", key, "-o", "json"}));
        return series.at(name).is_string() ? series.at(name).get<std::string>()
                                           : series.at(name).dump();
    }

    /// Of all series, in the order of their keys.
    std::string states() {
        std::string text;
        for (const json& series : json::parse(ok({"series", "ls", "-o", "json"}))) {
            text += series.at("series").get<std::string>() + '=' +
                    series.at("state").get<std::string>() + ' ';
        }
        return text;
    }
};

// R141
TEST_F(CliSeries, Ls_is_the_operators_view) {
    ok({"calendar", "set", "c", "weekly SUN"});
    add_series("a");
    add(
        {"--type",
         "report",
         "--series",
         "b",
         "--repeat",
         "0 0 12 * * ?",
         "--group",
         "reports",
         "--zone",
         "Asia/Tokyo",
         "--calendar",
         "c",
         "--start",
         "2126-01-01",
         "--misfire",
         "do-nothing"}
    );
    const std::string table = ok({"series", "ls", "--group", "reports"});
    for (const char* heading :
         {"SERIES",
          "GROUP",
          "TYPE",
          "REPEAT",
          "ZONE",
          "CALENDAR",
          "STATE",
          "PREVIOUS",
          "NEXT",
          "START",
          "MISFIRE"}) {
        EXPECT_THAT(table, HasSubstr(heading));
    }
    EXPECT_THAT(table, HasSubstr("do-nothing"));
    EXPECT_THAT(table, HasSubstr("2126-01-01T03:00:00.000Z"));
    EXPECT_THAT(
        ok({"series", "ls", "--zone", "Asia/Tokyo"}), HasSubstr("2126-01-01T12:00:00+09:00")
    );
    EXPECT_EQ(ok({"series", "ls", "-o", "name"}), "a\nb\n");
    EXPECT_EQ(ok({"series", "ls", "-o", "name", "--group", "DEFAULT"}), "a\n");
    EXPECT_EQ(ok({"series", "ls", "-o", "name", "--state", "paused"}), "");
}

TEST_F(CliSeries, Ls_pages_and_refuses_what_it_cannot_do) {
    for (const char* key : {"a", "b", "c"}) {
        add_series(key);
    }
    const CliResult page = run({"series", "ls", "-o", "name", "--limit", "2"});
    EXPECT_EQ(page.out, "a\nb\n");
    EXPECT_EQ(page.err, "there are more: go on with --after b\n");
    EXPECT_EQ(ok({"series", "ls", "-o", "name", "--after", "b"}), "c\n");
    EXPECT_EQ(run({"series", "ls", "--state", "asleep"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"series", "ls", "--zone", "Nowhere"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"series", "ls", "--group", ""}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"series", "show", "nobody"}).code, ExitCode::not_found);
    EXPECT_EQ(run({"series", "show", "nobody"}).err, "jobstrand: there is no series nobody\n");
}

// R127 R144
TEST_F(CliSeries, A_paused_series_waits_until_it_is_resumed) {
    add_series("a");
    EXPECT_EQ(
        ok({"series", "pause", "a", "-o", "jsonl"}), "{\"series\":\"a\",\"answer\":\"paused\"}\n"
    );
    EXPECT_EQ(places(), "suspended=1");
    ok({"series", "pause", "a"});
    EXPECT_EQ(state("a"), "paused");
    ok({"series", "resume", "a"});
    EXPECT_EQ(places(), "timer=1");
    EXPECT_EQ(state("a"), "waiting");
}

TEST_F(CliSeries, Pause_says_what_it_could_not_do) {
    add_series("a");
    add_series("ended");
    ok({"series", "end", "ended"});
    EXPECT_EQ(run({"series", "pause", "nobody"}).code, ExitCode::not_found);
    const CliResult ended = run({"series", "pause", "ended"});
    EXPECT_EQ(ended.code, ExitCode::refused);
    EXPECT_EQ(ended.err, "jobstrand: series ended has ended\n");
    const CliResult partly = run({"series", "pause", "a", "nobody", "-o", "name"});
    EXPECT_EQ(partly.code, ExitCode::partly_done);
    EXPECT_EQ(partly.out, "a\n");
    // A name that no series has is not remembered as paused.
    add_series("nobody");
    EXPECT_EQ(states(), "a=paused ended=ended nobody=waiting ");
}

TEST_F(CliSeries, A_group_is_chosen_for_what_it_holds_now) {
    add_series("a", {"--group", "g"});
    add_series("b", {"--group", "g"});
    add_series("c");
    const CliResult refused = run({"series", "pause", "--group", "g"});
    EXPECT_EQ(refused.code, ExitCode::refused);
    EXPECT_THAT(refused.err, HasSubstr("This pauses 2 series. Say so with --yes."));
    const CliResult dry = run({"series", "pause", "--group", "g", "--dry-run", "-o", "name"});
    EXPECT_EQ(dry.out, "a\nb\n");
    EXPECT_EQ(dry.err, "2 series would be changed; nothing was\n");
    EXPECT_EQ(states(), "a=waiting b=waiting c=waiting ");
    ok({"series", "pause", "--group", "g", "--yes"});
    add_series("d", {"--group", "g"});
    EXPECT_EQ(states(), "a=paused b=paused c=waiting d=waiting ");

    is_terminal_ = true;
    EXPECT_EQ(run({"series", "resume", "--all"}, "n\n").code, ExitCode::refused);
    EXPECT_EQ(run({"series", "resume", "--all"}, "y\n").code, ExitCode::done);
    EXPECT_EQ(states(), "a=waiting b=waiting c=waiting d=waiting ");
}

TEST_F(CliSeries, Bulk_verbs_want_exactly_one_way_to_choose) {
    add_series("a");
    for (const std::string verb : {"pause", "resume", "fire", "end", "rm"}) {
        EXPECT_EQ(run({"series", verb, "--yes"}).code, ExitCode::wrong_usage) << verb;
        EXPECT_EQ(run({"series", verb, "a", "--all", "--yes"}).code, ExitCode::wrong_usage) << verb;
        EXPECT_EQ(
            run({"series", verb, "--group", "g", "--all", "--yes"}).code, ExitCode::wrong_usage
        ) << verb;
        EXPECT_EQ(run({"series", verb, "--group", "", "--yes"}).code, ExitCode::wrong_usage)
            << verb;
    }
    EXPECT_EQ(states(), "a=waiting ");
}

TEST_F(CliSeries, Fire_runs_an_extra_job_and_the_series_goes_on) {
    add_series("a");
    const std::string next = value("a", "nextFire");
    const json fired = json::parse(ok({"series", "fire", "a", "-o", "jsonl"}));
    EXPECT_EQ(fired.at("answer"), "fired");
    const std::string id = fired.at("jobId").get<std::string>();
    EXPECT_EQ(field(id, "place"), "\"executable\"");
    EXPECT_EQ(field(id, "series"), "\"a\"");
    EXPECT_EQ(field(id, "repeat"), "null");
    EXPECT_THAT(ok({"job", "ls"}), HasSubstr("SERIES"));
    EXPECT_EQ(value("a", "nextFire"), next);
    EXPECT_EQ(places(), "executable=1 timer=1");
    EXPECT_EQ(run({"series", "fire", "nobody"}).code, ExitCode::not_found);
    ok({"series", "end", "a"});
    EXPECT_EQ(run({"series", "fire", "a"}).code, ExitCode::refused);
}

TEST_F(CliSeries, End_removes_the_waiting_turn_and_rm_forgets_the_series) {
    add_series("a");
    add_series("b");
    const CliResult live = run({"series", "rm", "a"});
    EXPECT_EQ(live.code, ExitCode::refused);
    EXPECT_THAT(live.err, HasSubstr("series a has not ended: `jobstrand series end a` first"));
    ok({"series", "end", "a"});
    EXPECT_EQ(places(), "timer=1");
    EXPECT_EQ(states(), "a=ended b=waiting ");
    ok({"series", "end", "a"});
    EXPECT_EQ(run({"series", "rm", "--all"}).code, ExitCode::refused);
    ok({"series", "rm", "--all", "--yes"});
    EXPECT_EQ(states(), "b=waiting ");
    EXPECT_EQ(run({"series", "rm", "a"}).code, ExitCode::not_found);
    EXPECT_EQ(run({"series", "end", "a"}).code, ExitCode::not_found);
}

// R145
TEST_F(CliSeries, Reschedule_begins_anew_and_keeps_the_rest_and_the_pause) {
    add_series("a", {"--group", "g", "--end", "2126-01-01", "--no-overlap"});
    ok({"series", "pause", "a"});
    ok({"series",
        "reschedule",
        "a",
        "--repeat",
        "0 0 12 * * ?",
        "--zone",
        "Asia/Tokyo",
        "--start",
        "2126-06-01"});
    EXPECT_EQ(state("a"), "paused");
    EXPECT_EQ(value("a", "nextFire"), "2126-06-01T03:00:00.000Z");
    EXPECT_EQ(value("a", "group"), "g");
    EXPECT_EQ(value("a", "end"), "null");
    EXPECT_EQ(value("a", "overlap"), "false");
    ok({"series", "reschedule", "a", "--repeat", "0 0 13 * * ?", "--start", "2126-06-01"});
    EXPECT_EQ(value("a", "nextFire"), "2126-06-01T04:00:00.000Z");
    EXPECT_EQ(places(), "suspended=1");
}

TEST_F(CliSeries, Reschedule_takes_calendar_and_misfire_instruction_away) {
    ok({"calendar", "set", "c", "weekly SUN"});
    add(
        {"--type",
         "noop",
         "--series",
         "s",
         "--repeat",
         "0 0 12 * * ?",
         "--calendar",
         "c",
         "--misfire",
         "do-nothing"}
    );
    const CliResult unfit = run({"series", "reschedule", "s", "--repeat", "R/P1D"});
    EXPECT_EQ(unfit.code, ExitCode::wrong_usage);
    EXPECT_THAT(unfit.err, HasSubstr("misfire instruction of a cycle must be"));
    ok({"series", "reschedule", "s", "--repeat", "R/P1D", "--misfire", "none", "--no-calendar"});
    EXPECT_EQ(value("s", "misfire"), "null");
    EXPECT_EQ(value("s", "calendar"), "null");
}

TEST_F(CliSeries, Reschedule_refuses_what_means_nothing_and_changes_nothing) {
    add_series("a");
    const std::string before = ok({"series", "show", "a", "-o", "json"});
    const std::vector<std::vector<std::string>> wrong{
        {"a"},
        {"a", "--zone", "UTC"},
        {"a", "--repeat", "soon"},
        {"a", "--repeat", "R/PT1H", "--end", "2001-01-01"},
        {"a", "--repeat", "R/PT1H", "--calendar", "c"},
        {"a", "--repeat", "R/PT1H", "--calendar", "c", "--no-calendar"},
    };
    for (std::vector<std::string> arguments : wrong) {
        arguments.insert(arguments.begin(), {"series", "reschedule"});
        EXPECT_EQ(run(arguments).code, ExitCode::wrong_usage) << arguments.back();
    }
    EXPECT_EQ(ok({"series", "show", "a", "-o", "json"}), before);
    EXPECT_EQ(
        run({"series", "reschedule", "nobody", "--repeat", "R/PT1H"}).code, ExitCode::not_found
    );
    ok({"series", "end", "a"});
    const CliResult ended = run({"series", "reschedule", "a", "--repeat", "R/PT1H"});
    EXPECT_EQ(ended.err, "jobstrand: series a has ended\n");
    EXPECT_EQ(ended.code, ExitCode::refused);
}

// R144 R145 R146
TEST_F(CliSeries, A_group_may_be_paused_before_it_has_a_series) {
    ok({"group", "pause", "g"});
    add_series("a", {"--group", "g"});
    EXPECT_EQ(states(), "a=paused ");
    const CliResult held = run({"series", "resume", "a"});
    EXPECT_EQ(held.code, ExitCode::refused);
    EXPECT_THAT(held.err, HasSubstr("its group is: `jobstrand group resume g`"));
    json groups = json::parse(ok({"group", "ls", "-o", "json"}));
    ASSERT_EQ(groups.size(), 1U);
    EXPECT_NE(groups[0].at("pausedSince"), nullptr);
    groups[0].erase("pausedSince");
    EXPECT_EQ(groups[0], json::parse(R"({"id":"g","series":1,"paused":true})"));
    EXPECT_EQ(ok({"group", "resume", "g", "-o", "jsonl"}), "{\"id\":\"g\",\"moved\":1}\n");
    EXPECT_EQ(states(), "a=waiting ");
    EXPECT_EQ(
        ok({"group", "ls", "-o", "jsonl"}),
        "{\"id\":\"g\",\"series\":1,\"paused\":false,\"pausedSince\":null}\n"
    );
    EXPECT_EQ(run({"group", "pause", ""}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"group", "pause"}).code, ExitCode::wrong_usage);
}

}  // namespace
}  // namespace jobstrand::test
