#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <utility>

namespace jobstrand::test {
namespace {

using cli::ExitCode;
using testing::HasSubstr;

class CliTimerNext : public CliTest {
protected:
    /// Without a database.
    CliResult next(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"timer", "next"});
        return run_bare(arguments);
    }

    std::string times(const std::vector<std::string>& arguments) {
        const CliResult result = next(arguments);
        EXPECT_EQ(result.code, ExitCode::done) << result.err;
        return result.out;
    }
};

TEST_F(CliTimerNext, Prints_one_time_per_line_with_its_offset) {
    EXPECT_EQ(
        times(
            {"0 30 2 * * ?",
             "--zone",
             "America/New_York",
             "--after",
             "2021-03-13T12:00:00-05:00",
             "--count",
             "2"}
        ),
        "2021-03-15T02:30:00-04:00\n2021-03-16T02:30:00-04:00\n"
    );
    EXPECT_EQ(
        times(
            {"0 30 2 * * ?",
             "--zone",
             "America/New_York",
             "--after",
             "2021-03-13T12:00",
             "--count",
             "1",
             "--dst",
             "run-once"}
        ),
        "2021-03-14T03:00:00-04:00\n"
    );
    EXPECT_EQ(
        times({"R2/PT10H", "--after", "2026-01-01"}), "2026-01-01T10:00:00Z\n2026-01-01T20:00:00Z\n"
    );
}

TEST_F(CliTimerNext, Gives_five_times_after_now_unless_told_otherwise) {
    const std::string five = times({"@hourly"});
    EXPECT_EQ(std::count(five.begin(), five.end(), '\n'), 5);
}

TEST_F(CliTimerNext, Says_none_when_there_is_none) {
    EXPECT_EQ(times({"0 0 0 31 2 ?"}), "none\n");
    EXPECT_EQ(times({"0 0 0 31 2 ?", "-o", "name"}), "none\n");
    EXPECT_EQ(times({"0 0 0 31 2 ?", "-o", "json"}), "[]\n");
    EXPECT_EQ(times({"0 0 0 31 2 ?", "-o", "csv"}), "");
}

TEST_F(CliTimerNext, Has_a_record_for_each_time_in_the_other_formats) {
    const std::vector<std::string> question{
        "@daily", "--after", "2026-01-01", "--count", "2", "-o"};
    const auto as = [&](const char* format) {
        std::vector<std::string> arguments = question;
        arguments.emplace_back(format);
        return times(arguments);
    };
    EXPECT_EQ(
        as("jsonl"), "{\"time\":\"2026-01-02T00:00:00Z\"}\n{\"time\":\"2026-01-03T00:00:00Z\"}\n"
    );
    EXPECT_THAT(as("json"), HasSubstr("{\"time\":\"2026-01-03T00:00:00Z\"}"));
    EXPECT_EQ(as("csv"), "time\r\n2026-01-02T00:00:00Z\r\n2026-01-03T00:00:00Z\r\n");
}

TEST_F(CliTimerNext, Shows_what_is_wrong_and_where) {
    const CliResult hour = next({"0 0 25 * * ?"});
    EXPECT_EQ(hour.code, ExitCode::wrong_usage);
    EXPECT_EQ(hour.out, "");
    EXPECT_EQ(
        hour.err,
        "jobstrand: EXPR is wrong at character 5: the hour must be 0 to 23\n"
        "jobstrand:   0 0 25 * * ?\n"
        "jobstrand:       ^\n"
    );
    EXPECT_EQ(
        next({"0\t0 é * * ?"}).err,
        "jobstrand: EXPR is wrong at character 5: expected the hour\n"
        "jobstrand:   0\\t0 é * * ?\n"
        "jobstrand:        ^\n"
    );
    EXPECT_THAT(
        next({std::string(1000, 'x') + " y"}).err, HasSubstr("EXPR is wrong at character ")
    );
    EXPECT_EQ(next({"soon"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(next({""}).code, ExitCode::wrong_usage);
    EXPECT_EQ(next({}).code, ExitCode::wrong_usage);
}

TEST_F(CliTimerNext, Refuses_options_that_cannot_be_meant_so) {
    EXPECT_EQ(
        next({"@daily", "--zone", "europe/berlin"}).err,
        "jobstrand: --zone: there is no time zone 'europe/berlin'; do you mean Europe/Berlin?\n"
    );
    for (const auto& [option, value] :
         {std::pair{"--zone", "Mars"},
          {"--after", "soon"},
          {"--count", "0"},
          {"--count", "10001"},
          {"--count", "x"},
          {"--dst", "never"},
          {"-o", "xml"}}) {
        EXPECT_EQ(next({"@daily", option, value}).code, ExitCode::wrong_usage)
            << option << " " << value;
    }
}

}  // namespace
}  // namespace jobstrand::test
