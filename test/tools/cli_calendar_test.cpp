#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

class CliCalendar : public CliTest {};

TEST_F(CliCalendar, A_calendar_is_stored_listed_and_shown) {
    EXPECT_EQ(
        ok({"calendar", "set", "b", "weekly SAT SUN", "-o", "json"}),
        "{\"calendar\":\"b\",\"series\":0}\n"
    );
    ok({"calendar", "set", "a", "--from", "-"}, "zone Europe/Berlin\nannual 12-25\nbased on b\n");
    EXPECT_EQ(ok({"calendar", "ls", "-o", "name"}), "a\nb\n");
    EXPECT_EQ(
        json::parse(ok({"calendar", "show", "a", "-o", "json"})),
        json::parse(R"({"calendar":"a","text":"zone Europe/Berlin\nannual 12-25\nbased on b\n"})")
    );
    EXPECT_THAT(ok({"calendar", "ls"}), HasSubstr("annual 12-25"));
    EXPECT_EQ(run({"calendar", "show", "nobody"}).code, ExitCode::not_found);
}

TEST_F(CliCalendar, A_changed_calendar_moves_the_turns_that_it_leaves_out) {
    ok({"calendar", "set", "c", "annual 12-25"});
    add(
        {"--type",
         "noop",
         "--id",
         "a",
         "--repeat",
         "0 0 12 * * ?",
         "--calendar",
         "c",
         "--start",
         "2126-06-01"}
    );
    EXPECT_EQ(field("a", "dueDate"), "\"2126-06-01T12:00:00.000Z\"");
    EXPECT_EQ(
        ok({"calendar", "set", "c", "holidays 2126-06-01", "-o", "json"}),
        "{\"calendar\":\"c\",\"series\":1}\n"
    );
    EXPECT_EQ(field("a", "dueDate"), "\"2126-06-02T12:00:00.000Z\"");
}

TEST_F(CliCalendar, What_cannot_be_meant_is_refused_and_changes_nothing) {
    ok({"calendar", "set", "c", "annual 12-25"});
    const std::vector<std::vector<std::string>> wrong{
        {"c"},
        {"c", ""},
        {"c", "annual 13-01"},
        {"c", "sometimes"},
        {"c", "based on nobody"},
        {"c", "based on c"},
        {"c", "weekly SAT", "--from", "-"},
        {"c", "--from", "/nowhere/file"},
        {"", "weekly SAT"},
        {std::string(65, 'c'), "weekly SAT"},
        {"long", "holidays 2126-06-01" + std::string(5000, ' ') + "2126-06-02"},
    };
    for (std::vector<std::string> arguments : wrong) {
        arguments.insert(arguments.begin(), {"calendar", "set"});
        const CliResult result = run(arguments);
        EXPECT_EQ(result.code, ExitCode::wrong_usage) << arguments.back().substr(0, 80);
        EXPECT_THAT(result.err, testing::StartsWith("jobstrand: "));
    }
    EXPECT_EQ(
        ok({"calendar", "ls", "-o", "jsonl"}), "{\"calendar\":\"c\",\"text\":\"annual 12-25\"}\n"
    );
    EXPECT_THAT(
        run({"calendar", "set", "c", "weekly SAT; annual 13-01"}).err,
        HasSubstr("TEXT is wrong at character 20: ")
    );
}

TEST_F(CliCalendar, A_text_that_would_leave_a_series_never_due_is_refused) {
    ok({"calendar", "set", "c", "weekly SUN"});
    add({"--type", "noop", "--series", "s", "--repeat", "0 0 9 ? * MON", "--calendar", "c"});
    const CliResult result = run({"calendar", "set", "c", "weekly MON"});
    EXPECT_EQ(result.code, ExitCode::wrong_usage);
    EXPECT_EQ(
        result.err,
        "jobstrand: with this text of the calendar \"c\" these series would never be due again: s\n"
    );
    EXPECT_THAT(ok({"calendar", "show", "c"}), HasSubstr("weekly SUN"));
    EXPECT_THAT(ok({"series", "show", "s"}), HasSubstr("waiting"));
}

TEST_F(CliCalendar, A_series_that_would_never_be_due_is_not_begun) {
    ok({"calendar", "set", "c", "weekly MON"});
    const CliResult one =
        run({"job", "add", "--type", "noop", "--repeat", "0 0 9 ? * MON", "--calendar", "c"});
    EXPECT_EQ(one.code, ExitCode::wrong_usage);
    EXPECT_THAT(one.err, HasSubstr("no turn would ever be due"));
    const CliResult of_a_file =
        run({"job", "add", "--from", "-"},
            R"({"handlerType":"noop","repeat":"0 0 9 ? * MON","calendar":"c"})");
    EXPECT_EQ(of_a_file.code, ExitCode::wrong_usage);
    EXPECT_THAT(of_a_file.err, HasSubstr("stdin:1: no turn would ever be due"));
    EXPECT_EQ(places(), "");
}

TEST_F(CliCalendar, A_calendar_in_use_stays) {
    ok({"calendar", "set", "c", "weekly SUN"});
    ok({"calendar", "set", "d", "based on c; annual 12-25"});
    add({"--type", "noop", "--series", "s", "--repeat", "R/PT1H", "--calendar", "d"});
    const CliResult used = run({"calendar", "rm", "c"});
    EXPECT_EQ(used.code, ExitCode::refused);
    EXPECT_EQ(used.err, "jobstrand: a series, or another calendar, uses the calendar c\n");
    EXPECT_EQ(run({"calendar", "rm", "d"}).code, ExitCode::refused);
    EXPECT_EQ(run({"calendar", "rm", "nobody"}).code, ExitCode::not_found);
    ok({"series", "end", "s"});
    EXPECT_EQ(ok({"calendar", "rm", "d", "c", "-o", "name"}), "d\nc\n");
    EXPECT_EQ(ok({"calendar", "ls", "-o", "name"}), "");
}

}  // namespace
}  // namespace jobstrand::test
