#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/tools/cli_fixture.hpp"
#include "tools/operations/health_checks.hpp"
#include "tools/program/slow_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace jobstrand::cli {

namespace {

using nlohmann::json;
using test::CliTest;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// What `doctor` finds in an installation, and what it advises.
class CliDoctor : public CliTest {
protected:
    /// All that is said about a check, `level text -> advice`, one on each line.
    [[nodiscard]] std::string said_about(const std::string& check) {
        std::string all;
        for (const json& finding : json::parse(run({"doctor", "-o", "json"}).out)) {
            if (finding["check"] == check) {
                all += finding["level"].get<std::string>() + " " +
                       finding["text"].get<std::string>() + " -> " +
                       (finding["advice"].is_null() ? "" : finding["advice"].get<std::string>()) +
                       "\n";
            }
        }
        return all;
    }
};

TEST_F(CliDoctor, Names_what_cannot_be_done_without_statements_that_the_database_refuses) {
    const auto pool = persistence::open_database(persistence::parse_database_url(url()).value());
    const auto connection = pool->lease(persistence::SessionPool::Access::write);
    const std::map<std::string_view, std::string_view> refusals{
        {"sqlite",
         "CREATE TRIGGER refusal BEFORE DELETE ON ACT_RU_TIMER_JOB "
         "BEGIN SELECT RAISE(ABORT, 'unsupported'); END"},
        {"mysql",
         "CREATE TRIGGER refusal BEFORE DELETE ON ACT_RU_TIMER_JOB FOR EACH ROW "
         "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'unsupported'"},
        {"postgresql",
         "CREATE FUNCTION refusal() RETURNS trigger LANGUAGE plpgsql "
         "AS 'BEGIN RAISE EXCEPTION ''unsupported''; END'; "
         "CREATE TRIGGER refusal BEFORE DELETE ON ACT_RU_TIMER_JOB FOR EACH ROW "
         "EXECUTE FUNCTION refusal()"},
    };
    connection->run_script(refusals.at(connection->dialect().name));
    const std::string said = said_about("statements");
    EXPECT_THAT(said, HasSubstr("wrong nodes cannot fire timers: DELETE"));
    EXPECT_THAT(said, HasSubstr("wrong nodes cannot go on with series: "));
    EXPECT_THAT(said, testing::Not(HasSubstr("take jobs")));
    // Tests on a server share their tables.
    connection->run_script(
        connection->dialect().name == "postgresql" ? "DROP FUNCTION refusal() CASCADE"
                                                   : "DROP TRIGGER refusal"
    );
}

TEST(DoctorAnswer, Of_more_than_a_tenth_of_a_second_is_slow) {
    const auto level = [](int milliseconds) {
        const std::chrono::milliseconds took(milliseconds);
        return cli::finding_of_answer("SQLite 3", took).level;
    };
    EXPECT_EQ(level(100), cli::FindingLevel::ok);
    EXPECT_EQ(level(101), cli::FindingLevel::wrong);
}

TEST(SlowStep, A_start_that_takes_long_says_what_it_waits_for) {
    test::RecordingLog log;
    const SlowStep step(log, "the database", 1ms);
    const auto give_up = std::chrono::steady_clock::now() + 60s;
    while (log.lines().empty() && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::yield();
    }
    ASSERT_EQ(log.count(schema::LogLevel::warn, "still starting"), 1);
    EXPECT_EQ(log.lines().front().fields, "waits_for=the database ");
}

TEST(SlowStep, A_quick_one_says_nothing) {
    test::RecordingLog log;
    { const SlowStep step(log, "the database", 1h); }
    EXPECT_TRUE(log.lines().empty());
}

}  // namespace

}  // namespace jobstrand::cli
