#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class CliRepeat : public CliTest {
protected:
    json series(const std::string& key) {
        return json::parse(ok({"series", "show", key, "-o", "json"}));
    }

    std::string keys() { return ok({"series", "ls", "-o", "name"}); }
};

// R139
TEST_F(CliRepeat, A_job_repeats_by_one_more_option) {
    const std::string id = add({"--handler", "log", "--repeat", "R/PT10M"});
    EXPECT_EQ(places(), "timer=1");
    EXPECT_THAT(field(id, "repeat"), StartsWith("\"R/"));
    EXPECT_EQ(field(id, "series"), '"' + id + '"');
    EXPECT_EQ(keys(), id + "\n");
    EXPECT_EQ(series(id).at("repeat"), "R/PT10M");
    EXPECT_EQ(series(id).at("state"), "waiting");
}

TEST_F(CliRepeat, Every_setting_of_a_series_can_be_given) {
    ok({"calendar", "set", "working-days", "weekly SAT SUN"});
    const std::string id = add(
        {"--type",
         "report",
         "--id",
         "first",
         "--retries",
         "5",
         "--repeat",
         "0 0 12 ? * MON-FRI",
         "--series",
         "nightly",
         "--group",
         "reports",
         "--description",
         "For the accountants",
         "--zone",
         "Europe/Berlin",
         "--dst",
         "run-once",
         "--calendar",
         "working-days",
         "--misfire",
         "do-nothing",
         "--misfire-threshold",
         "PT5M",
         "--start",
         "2126-06-01",
         "--end",
         "2127-01-01T00:00:00Z",
         "--no-overlap",
         "--keep-data",
         "--no-recovery",
         "--stop-on-dead-letter"}
    );
    EXPECT_EQ(id, "first");
    json all = series("nightly");
    all.erase("createTime");
    EXPECT_EQ(all, json::parse(R"({
        "series": "nightly", "group": "reports", "description": "For the accountants",
        "handlerType": "report", "repeat": "0 0 12 ? * MON-FRI", "state": "waiting",
        "previousFire": null, "nextFire": "2126-06-03T10:00:00.000Z", "fireCount": 0,
        "zone": "Europe/Berlin", "dst": "run-once", "calendar": "working-days",
        "start": "2126-05-31T22:00:00.000Z", "end": "2127-01-01T00:00:00.000Z",
        "misfire": "do-nothing", "misfireThreshold": "PT5M", "overlap": false,
        "keepData": true, "recovery": false, "stopOnDeadLetter": true, "retries": 5,
        "totalTurns": null, "turnsTaken": 0, "turnId": "first", "unreadableSeries": null
    })"));
    EXPECT_EQ(field("first", "dueDate"), "\"2126-06-03T10:00:00.000Z\"");
}

TEST_F(CliRepeat, A_due_date_is_that_of_the_first_turn) {
    add({"--type", "noop", "--id", "a", "--repeat", "R3/PT10H", "--due", "2126-01-01"});
    EXPECT_EQ(field("a", "dueDate"), "\"2126-01-01T00:00:00.000Z\"");
    EXPECT_EQ(series("a").at("totalTurns"), 3);
}

TEST_F(CliRepeat, The_answer_in_json_names_the_job_and_its_series) {
    EXPECT_EQ(
        ok({"job",
            "add",
            "--type",
            "noop",
            "--id",
            "a",
            "--series",
            "s",
            "--repeat",
            "R/PT1H",
            "-o",
            "json"}),
        "{\"id\":\"a\",\"series\":\"s\"}\n"
    );
}

// R145
TEST_F(CliRepeat, A_series_may_begin_paused) {
    add({"--type", "noop", "--series", "s", "--repeat", "R/PT1S", "--paused"});
    EXPECT_EQ(places(), "suspended=1");
    EXPECT_EQ(series("s").at("state"), "paused");
    ok({"series", "resume", "s"});
    EXPECT_EQ(places(), "timer=1");
    EXPECT_EQ(series("s").at("state"), "waiting");
}

TEST_F(CliRepeat, What_cannot_be_meant_is_refused_and_nothing_is_added) {
    const std::string noon = "0 0 12 * * ?";
    const std::vector<WrongUsage> cases{
        {{"--repeat", ""}, "--repeat must not be empty"},
        {{"--repeat", "0 0 25 * * ?"}, "--repeat is wrong at character 5: "},
        {{"--repeat", "PT10M"}, "does not repeat"},
        {{"--repeat", "2126-01-01"}, "does not repeat"},
        {{"--repeat", "R0/PT10M"}, "--repeat is wrong at character 2: "},
        {{"--repeat", "R/PT0S"}, "--repeat is wrong"},
        {{"--repeat", noon, "--zone", "europe/berlin"}, "do you mean Europe/Berlin?"},
        {{"--repeat", noon, "--dst", "never"}, "dst must be quartz or run-once"},
        {{"--repeat", noon, "--calendar", "none"}, "calendar: there is no calendar \"none\""},
        {{"--repeat", noon, "--calendar", ""}, "--calendar must not be empty"},
        {{"--repeat", noon, "--misfire", "fire-now"},
         "misfire instruction of a cron text, or of times of each day, must be"},
        {{"--repeat", noon, "--misfire", "3"},
         "misfire instruction of a cron text, or of times of each day, must be"},
        {{"--repeat", "R/PT1H", "--misfire", "do-nothing"},
         "misfire instruction of a cycle must be"},
        {{"--repeat", "R/P1D", "--misfire", "fire-now"}, "the period must be exact"},
        {{"--repeat", noon, "--misfire-threshold", "soon"}, "--misfire-threshold must be an exact"},
        {{"--repeat", noon, "--start", "soon"}, "--start is wrong at character 1: expected a time"},
        {{"--repeat", noon, "--end", "2001-01-01"}, "no turn would ever be due"},
        {{"--repeat", "R1/2001-01-01/PT1H/2001-02-01"}, "no turn would ever be due"},
        {{"--repeat", noon, "--series", std::string(65, 's')}, "series is longer than 64"},
        {{"--repeat", noon, "--group", "gr\xc3\xbcn"}, "group may only hold printable ASCII"},
        {{"--repeat", noon, "--description", std::string(256, 'x')},
         "description is longer than 255"},
        {{"--series", "s"}, "say when it repeats: --repeat TEXT"},
        {{"--zone", "UTC"}, "say when it repeats: --repeat TEXT"},
        {{"--paused"}, "say when it repeats: --repeat TEXT"},
    };
    expect_wrong_usage({"job", "add", "--type", "noop"}, cases);
    EXPECT_EQ(places(), "");
    EXPECT_EQ(keys(), "");
}

TEST_F(CliRepeat, A_mark_shows_where_a_text_is_wrong) {
    EXPECT_THAT(
        run({"job", "add", "--type", "noop", "--repeat", "0 0 25 * * ?"}).err,
        HasSubstr("\njobstrand:   0 0 25 * * ?\njobstrand:       ^\n")
    );
}

TEST_F(CliRepeat, A_key_that_is_taken_is_refused) {
    add({"--type", "noop", "--id", "a", "--series", "s", "--repeat", "R/PT1H"});
    const CliResult result =
        run({"job", "add", "--type", "noop", "--series", "s", "--repeat", "R/PT2H"});
    EXPECT_EQ(result.code, ExitCode::refused);
    EXPECT_EQ(result.err, "jobstrand: there is a series s already: take another\n");
    EXPECT_EQ(places(), "timer=1");
    EXPECT_EQ(series("s").at("repeat"), "R/PT1H");
}

TEST_F(CliRepeat, A_file_may_hold_series_beside_jobs) {
    const std::string lines = R"({"handlerType":"noop"}
{"handlerType":"noop","repeat":"R/PT10M"}
{"handlerType":"noop","repeat":"0 0 12 * * ?","series":"noon","zone":"Asia/Tokyo","group":"g","overlap":false,"state":"paused","start":"2126-01-01T00:00:00Z","misfireThreshold":"PT2M"}
)";
    EXPECT_EQ(
        ok({"job", "add", "--from", "-", "-o", "json"}, lines),
        "{\"added\":3,\"badLines\":0,\"suspended\":1,\"keptOut\":0,\"replaced\":0}\n"
    );
    EXPECT_EQ(places(), "executable=1 timer=1 suspended=1");
    const json noon = series("noon");
    EXPECT_EQ(noon.at("nextFire"), "2126-01-01T03:00:00.000Z");
    EXPECT_EQ(noon.at("overlap"), false);
    EXPECT_EQ(noon.at("misfireThreshold"), "PT2M");
}

TEST_F(CliRepeat, One_bad_series_keeps_all_lines_out) {
    const std::vector<WrongUsage> cases{
        {{R"({"handlerType":"x","repeat":"R/PT"})"}, "stdin:2: repeat is wrong at character 5: "},
        {{R"({"handlerType":"x","repeat":""})"}, "stdin:2: repeat must not be empty"},
        {{R"({"handlerType":"x","repeat":"R/PT1H","zone":"Berlin/Europe"})"}, "stdin:2: zone: "},
        {{R"({"handlerType":"x","repeat":"R/PT1H","calendar":"c"})"}, "stdin:2: calendar: "},
        {{R"({"handlerType":"x","repeat":"R/PT1H","group":""})"},
         "stdin:2: group must not be empty"},
        {{R"({"handlerType":"x","repeat":"R/PT1H","overlap":0})"}, "stdin:2: overlap must be true"},
        {{R"({"handlerType":"x","repeat":"R/PT1H","state":"ended"})"}, "stdin:2: state of a new"},
        {{R"({"handlerType":"x","repeat":"R/PT1H","seires":"s"})"}, "did you mean series?"},
        {{R"({"handlerType":"x","zone":"UTC"})"}, "stdin:2: zone goes with repeat"},
        {{R"({"handlerType":"x","state":"paused"})"}, "stdin:2: state paused goes with repeat"},
        {{R"({"handlerType":"x","repeat":"R/PT1H","series":"first"})"},
         "stdin:2: there is a series first already"},
    };
    const std::string first = R"({"handlerType":"x","repeat":"R/PT1H","series":"first"})"
                              "\n";
    for (const WrongUsage& test : cases) {
        const CliResult result =
            run({"job", "add", "--from", "-"}, first + test.arguments.front() + "\n");
        EXPECT_EQ(result.code, ExitCode::wrong_usage) << test.message;
        EXPECT_THAT(result.err, HasSubstr(test.message));
        EXPECT_EQ(places(), "") << test.message;
        EXPECT_EQ(keys(), "") << test.message;
    }
}

TEST_F(CliRepeat, A_key_that_the_database_has_keeps_all_lines_out_or_its_own_line) {
    add({"--type", "noop", "--series", "taken", "--repeat", "R/PT1H"});
    const std::string lines = R"({"handlerType":"noop"}
{"handlerType":"noop","repeat":"R/PT1H","series":"taken"}
{"handlerType":"noop","repeat":"R/PT1H","series":"free"}
)";
    const CliResult none = run({"job", "add", "--from", "-"}, lines);
    EXPECT_EQ(none.code, ExitCode::refused);
    EXPECT_THAT(none.err, HasSubstr("stdin:2: there is a series taken already"));
    EXPECT_EQ(places(), "timer=1");
    const CliResult some = run({"job", "add", "--from", "-", "--keep-going"}, lines);
    EXPECT_EQ(some.code, ExitCode::partly_done);
    EXPECT_EQ(places(), "executable=1 timer=2");
    EXPECT_EQ(keys(), "free\ntaken\n");
}

TEST_F(CliRepeat, What_timer_ls_writes_can_be_added_to_another_database) {
    add(
        {"--type",
         "noop",
         "--series",
         "s",
         "--repeat",
         "0 0 12 * * ?",
         "--zone",
         "Asia/Tokyo",
         "--group",
         "g",
         "--misfire",
         "2",
         "--no-overlap"}
    );
    add({"--type", "noop", "--due-in", "P1D"});
    const std::string timers = ok({"timer", "ls", "-o", "jsonl"});
    const std::string other = "sqlite:" + path_of("other.db");
    ASSERT_EQ(run_bare({"schema", "create", "--db", other}).code, ExitCode::done);
    const CliResult added = run_bare({"job", "add", "--from", "-", "--db", other}, timers);
    ASSERT_EQ(added.code, ExitCode::done) << added.err;
    json before = series("s");
    json after = json::parse(run_bare({"series", "show", "s", "-o", "json", "--db", other}).out);
    before.erase("createTime");
    after.erase("createTime");
    EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace jobstrand::test
