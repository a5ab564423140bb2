#include "schema/text/time_text.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <chrono>

namespace jobstrand::test {
namespace {

using namespace std::chrono_literals;

using cli::ExitCode;
using testing::HasSubstr;

/// Times as people say them, and timer texts as due dates: every option that reads one.
class CliTimes : public CliTest {
protected:
    schema::TimePoint due_of(const std::string& id) {
        const std::string quoted = field(id, "dueDate");
        return schema::parse_instant(quoted.substr(1, quoted.size() - 2)).value();
    }

    schema::TimePoint now() { return engine().clock().now(); }

    /// Adds a job whose due date lies so far ahead.
    void expect_ahead(const std::vector<std::string>& due, schema::Duration distance) {
        std::vector<std::string> arguments{"--type", "noop"};
        arguments.insert(arguments.end(), due.begin(), due.end());
        const schema::TimePoint before = now();
        const schema::TimePoint time = due_of(add(arguments));
        EXPECT_GE(time, before + distance) << due.back();
        EXPECT_LE(time, now() + distance) << due.back();
    }
};

TEST_F(CliTimes, Due_options_read_what_timer_next_reads) {
    expect_ahead({"--due-in", "5m"}, 5min);
    expect_ahead({"--due-in", "1h30m"}, 90min);
    expect_ahead({"--due-in", "PT1H"}, 1h);
    expect_ahead({"--due", "in 2 hours"}, 2h);
    expect_ahead({"--due", "R3/PT10H"}, 10h);
    const std::string exact = add({"--type", "noop", "--due", "2126-01-01T00:00Z/PT10H"});
    EXPECT_EQ(field(exact, "dueDate"), "\"2126-01-01T10:00:00.000Z\"");
    const std::string local =
        add({"--type", "noop", "--due", "2126-01-01 09:00", "--zone", "Europe/Berlin"});
    EXPECT_EQ(field(local, "dueDate"), "\"2126-01-01T08:00:00.000Z\"");
    const std::string own_zone = add({"--type", "noop", "--due", "2126-01-01 09:00 Europe/Berlin"});
    EXPECT_EQ(field(own_zone, "dueDate"), "\"2126-01-01T08:00:00.000Z\"");
}

TEST_F(CliTimes, Business_days_are_those_of_a_calendar) {
    ok({"calendar", "set", "never-monday", "weekly MON"});
    ok({"calendar", "set", "all-days", "holidays 1999-01-01"}, "");
    expect_ahead({"--due", "3 business days", "--calendar", "all-days"}, 72h);
    const std::string id =
        add({"--type", "noop", "--due", "9 business days", "--calendar", "never-monday"});
    EXPECT_GE(due_of(id), now() + 24h * 10 - 1min) << "one Monday at least is left out";
    EXPECT_EQ(
        run({"job", "add", "--type", "x", "--due", "1 business day", "--calendar", "nobodys"}).code,
        ExitCode::wrong_usage
    );
}

TEST_F(CliTimes, A_file_of_jobs_reads_the_same_texts) {
    ok({"calendar", "set", "all-days", "holidays 1999-01-01"});
    const schema::TimePoint before = now();
    ok({"job", "add", "--from", "-"},
       R"({"handlerType":"x","id":"a","dueDate":"5m"})"
       "\n"
       R"({"handlerType":"x","id":"b","dueDate":"2126-01-01T09:00","zone":"Europe/Berlin"})"
       "\n"
       R"({"handlerType":"x","id":"c","dueDate":"2 business days","calendar":"all-days"})"
       "\n");
    EXPECT_GE(due_of("a"), before + 5min);
    EXPECT_LE(due_of("a"), now() + 5min);
    EXPECT_EQ(field("b", "dueDate"), "\"2126-01-01T08:00:00.000Z\"");
    EXPECT_GE(due_of("c"), before + 48h);
}

TEST_F(CliTimes, A_wrong_due_date_in_a_file_is_told_by_its_line) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {R"("dueDate":"soon")", "stdin:1: dueDate is wrong at character 1: expected a time"},
        {R"("dueDate":"5")", "dueDate is wrong at character 1: a number without a unit"},
        {R"("dueDate":"0 0 0 31 2 ?")", "dueDate: this is never due"},
        {R"("dueDate":"5m","zone":"Mars")", "dueDate: zone: "},
        {R"("dueDate":"5m","calendar":"nobodys")", "dueDate: calendar: "},
        {R"("calendar":"nobodys")", "calendar goes with repeat or dueDate"},
    };
    for (const auto& [fields, message] : cases) {
        const CliResult result =
            run({"job", "add", "--from", "-"}, R"({"handlerType":"x",)" + fields + "}\n");
        EXPECT_EQ(result.code, ExitCode::wrong_usage) << fields;
        EXPECT_THAT(result.err, HasSubstr(message));
    }
    EXPECT_EQ(places(), "");
}

TEST_F(CliTimes, A_lone_duration_is_ahead_for_due_dates_and_behind_for_what_has_happened) {
    add({"--type", "noop", "--id", "soon", "--due-in", "10m"});
    add({"--type", "noop", "--id", "late", "--due-in", "2h"});
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--due-before", "1h"}), "soon\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--due-after", "1h"}), "late\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--created-after", "1h"}), "late\nsoon\n");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--created-before", "1h"}), "");
    EXPECT_EQ(ok({"timer", "ls", "-o", "name", "--created-after", "yesterday"}), "late\nsoon\n");
    expect_wrong_usage({"timer", "ls"}, {{{"--created-after", "5"}, "a number without a unit"}});
}

TEST_F(CliTimes, Timers_and_dead_letters_are_given_due_dates_in_the_same_words) {
    add({"--type", "noop", "--id", "a", "--due-in", "1h"});
    ok({"timer", "reschedule", "a", "--due", "2126-12-24 18:00", "--zone", "Europe/Berlin"});
    EXPECT_EQ(field("a", "dueDate"), "\"2126-12-24T17:00:00.000Z\"");
    const std::string dead = add_dead();
    ok({"dead", "requeue", dead, "--due-in", "3h"});
    EXPECT_GT(due_of(dead), now() + 2h);
}

TEST_F(CliTimes, A_series_begins_and_ends_at_such_times) {
    add(
        {"--type",
         "x",
         "--repeat",
         "R/PT1H",
         "--start",
         "tomorrow",
         "--end",
         "in 3 weeks",
         "--series",
         "s",
         "--misfire-threshold",
         "5m"}
    );
    const std::string shown = ok({"series", "show", "s", "-o", "json"});
    EXPECT_THAT(shown, HasSubstr("\"misfireThreshold\":\"PT5M\""));
    EXPECT_THAT(shown, HasSubstr("T00:00:00.000Z"));
}

TEST_F(CliTimes, What_does_not_repeat_is_no_repeat_and_says_where_it_belongs) {
    expect_wrong_usage(
        {"job", "add", "--type", "x"},
        {{{"--repeat", "5m"}, "this text does not repeat"},
         {{"--repeat", "3 business days"}, "this text does not repeat"}}
    );
}

}  // namespace
}  // namespace jobstrand::test
