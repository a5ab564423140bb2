#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "schema/tables.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/tools/cli_fixture.hpp"
#include "tools/operations/health_checks.hpp"
#include "tools/program/slow_step.hpp"

#include <fmt/format.h>
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
using persistence::NodeState;
using test::CliResult;
using test::CliTest;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// What `doctor` finds in an installation, and what it advises.
class CliDoctor : public CliTest {
protected:
    void start_node(
        const std::string& name,
        const std::string& version = "0.1.0",
        schema::Duration lease = 1h
    ) {
        const schema::TimePoint now = engine().clock().now();
        engine().node_store().register_node(
            {.node = name, .incarnation = "1", .version = version},
            std::vector<std::string>{"noop"},
            now,
            now + lease
        );
    }

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

// B13
TEST_F(CliDoctor, Finds_nothing_wrong_where_nothing_is) {
    start_node("node-1");
    add();
    const CliResult all = run({"doctor"});
    EXPECT_EQ(all.code, ExitCode::done) << all.out;
    EXPECT_THAT(
        all.out,
        AllOf(
            HasSubstr("answers in"),
            HasSubstr("complete, version"),
            HasSubstr("the database takes all that nodes need"),
            HasSubstr("1 live: node-1"),
            HasSubstr("durability")
        )
    );
    EXPECT_THAT(said_about("clock"), HasSubstr("ok this machine's is"));
    EXPECT_THAT(said_about("handlers"), HasSubstr("ok living nodes take all"));
    EXPECT_THAT(said_about("timers"), HasSubstr("ok there are none"));
    EXPECT_THAT(said_about("dead letters"), HasSubstr("ok there are none"));
}

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

TEST_F(CliDoctor, Misses_nodes) {
    const CliResult all = run({"doctor"});
    EXPECT_EQ(all.code, ExitCode::check_found);
    EXPECT_THAT(all.out, HasSubstr("-> start one: jobstrand serve"));
}

TEST_F(CliDoctor, Names_nodes_that_died_or_are_drained_or_of_other_versions) {
    start_node("living");
    start_node("dead", "0.1.0", -1min);
    start_node("drained", "0.0.9");
    EXPECT_TRUE(engine().node_store().set_node_state("drained", NodeState::draining));
    EXPECT_THAT(
        said_about("nodes"),
        AllOf(
            HasSubstr("ok 2 live: drained, living"),
            HasSubstr("wrong did not renew their leases: dead"),
            HasSubstr("note drained, and taking nothing: drained -> jobstrand node resume drained")
        )
    );
    EXPECT_THAT(said_about("versions"), HasSubstr("note nodes are of several: 0.0.9, 0.1.0"));
}

TEST_F(CliDoctor, Names_nodes_that_live_and_stand_still) {
    start_node("node-1");
    EXPECT_EQ(said_about("progress"), "");
    engine().node_store().record_work(
        "node-1", {.standstill = "3 jobs are held, and none of them runs"}
    );
    EXPECT_THAT(
        said_about("progress"),
        HasSubstr("wrong node-1 lives and stands still: 3 jobs are held, and none of them runs -> ")
    );
    EXPECT_EQ(run({"doctor"}).code, ExitCode::check_found);
}

TEST_F(CliDoctor, Names_external_topics_that_no_worker_asks_for) {
    start_node("node-1");
    add({"--type", "pay", "--external", "--id", "a"});
    EXPECT_EQ(said_about("external workers"), "") << "a worker may come yet";
    execute("UPDATE ACT_RU_EXTERNAL_JOB SET CREATE_TIME_ = '2026-01-01 10:15:30.123'");
    EXPECT_THAT(
        said_about("external workers"), HasSubstr("wrong none asks for pay: 1 job waits, the first")
    );
    const std::vector<persistence::AskedTopic> asked{{"pay", "w", engine().clock().now()}};
    engine().node_store().record_asked("node-1", asked);
    EXPECT_EQ(said_about("external workers"), "");
}

TEST_F(CliDoctor, Names_kinds_of_jobs_that_nobody_takes) {
    start_node("node-1");
    add({"--type", "emial"});
    EXPECT_THAT(said_about("handlers"), HasSubstr("wrong no living node takes emial: 1 job waits"));
    EXPECT_EQ(run({"doctor"}).code, ExitCode::check_found);
}

TEST_F(CliDoctor, Points_to_a_job_that_has_waited_for_long) {
    start_node("node-1");
    add({"--type", "noop", "--id", "a"});
    add({"--type", "noop", "--id", "b"});
    EXPECT_THAT(said_about("waiting"), HasSubstr("ok the oldest job that waits is a (noop)"));
    execute("UPDATE ACT_RU_JOB SET CREATE_TIME_ = '2026-01-01 10:15:30.123'");
    EXPECT_THAT(
        said_about("waiting"),
        AllOf(HasSubstr("wrong the oldest job that waits"), HasSubstr("jobstrand job explain a"))
    );
}

TEST_F(CliDoctor, Notices_timers_that_nobody_fetches) {
    start_node("node-1");
    add({"--type", "noop", "--due-in", "1h"});
    EXPECT_THAT(said_about("timers"), HasSubstr("ok the first is due 20"));
    execute("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = '2026-01-01 10:15:30.123'");
    EXPECT_THAT(said_about("timers"), HasSubstr("wrong the first is due 2026-01-01T10:15:30.123Z"));
}

TEST_F(CliDoctor, Tells_of_recent_dead_letters_and_notes_old_ones) {
    start_node("node-1");
    ok({"job", "cancel", add(), "--reason", "wrong file", "--by", "ada"});
    EXPECT_THAT(
        said_about("dead letters"),
        AllOf(HasSubstr("wrong 1; the latest is a noop"), HasSubstr("cancelled by ada: wrong file"))
    );
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET FAILED_TIME_ = '2026-01-01 10:15:30.123'");
    EXPECT_THAT(said_about("dead letters"), HasSubstr("note 1; the latest is a noop"));
    EXPECT_EQ(run({"doctor"}).code, ExitCode::done);
}

TEST_F(CliDoctor, Names_a_waiting_turn_that_its_text_does_not_name) {
    start_node("node-1");
    add({"--type", "noop", "--series", "daily", "--repeat", "0 9 * * *", "--zone", "Europe/Berlin"}
    );
    EXPECT_THAT(said_about("series"), HasSubstr("ok 1 wait for the times that their texts name"));
    execute("UPDATE JS_SERIES SET NEXT_FIRE_ = '2037-07-01 08:00:00.000'");
    EXPECT_THAT(
        said_about("series"),
        AllOf(
            HasSubstr("note 1 wait for a time"),
            HasSubstr("daily (0 9 * * *, Europe/Berlin) at 2037-07-01T08:00:00.000Z"),
            HasSubstr("-> unless somebody has chosen")
        )
    );
    EXPECT_EQ(run({"doctor"}).code, ExitCode::done);
}

TEST_F(CliDoctor, Names_a_series_whose_turn_was_deleted_and_the_verb_that_makes_it_whole) {
    start_node("node-1");
    add({"--type", "noop", "--series", "daily", "--repeat", "0 9 * * *"});
    EXPECT_THAT(said_about("turns of series"), HasSubstr("ok each series that goes on"));
    execute("DELETE FROM ACT_RU_TIMER_JOB");
    EXPECT_THAT(
        said_about("turns of series"),
        AllOf(HasSubstr("wrong 1 series have lost their turn"), HasSubstr("series resume daily"))
    );
    ok({"series", "resume", "daily"});
    EXPECT_THAT(said_about("turns of series"), HasSubstr("ok each series that goes on"));
}

TEST(DoctorAnswer, Of_more_than_a_tenth_of_a_second_is_slow) {
    const auto level = [](int milliseconds) {
        const std::chrono::milliseconds took(milliseconds);
        return cli::finding_of_answer("SQLite 3", took).level;
    };
    EXPECT_EQ(level(100), cli::FindingLevel::ok);
    EXPECT_EQ(level(101), cli::FindingLevel::wrong);
}

TEST_F(CliDoctor, Misses_the_index_that_the_configured_order_needs) {
    const std::string config =
        file("order.toml", "db = \"" + url() + "\"\nacquireByPriority = true\n");
    start_node("node-1");
    const CliResult without = run_bare({"--config", config, "doctor"});
    EXPECT_EQ(without.code, ExitCode::check_found);
    EXPECT_THAT(without.out, HasSubstr("-> jobstrand schema index priority --create"));
    ok({"schema", "index", "priority", "--create"});
    EXPECT_EQ(run_bare({"--config", config, "doctor"}).code, ExitCode::done);
    ok({"schema", "index", "priority", "--drop"});
}

TEST_F(CliDoctor, Says_what_to_do_about_tables_of_another_version) {
    const auto set_version = [&](int version) {
        execute(fmt::format(
            "UPDATE ACT_GE_PROPERTY SET VALUE_ = '{}' WHERE NAME_ = '{}'",
            version,
            schema::kSchemaVersionProperty
        ));
    };
    set_version(3);
    EXPECT_THAT(
        said_about("tables"), HasSubstr("wrong they have version 3, and this program needs")
    );
    EXPECT_THAT(said_about("tables"), HasSubstr("-> jobstrand schema upgrade"));
    EXPECT_EQ(said_about("nodes"), "") << "nobody can ask";
    set_version(schema::kSchemaVersion);
}

TEST_F(CliDoctor, Says_why_it_cannot_reach_the_database) {
    const CliResult none = run_bare({"--db", "sqlite:" + path_of("none.db"), "doctor"});
    EXPECT_EQ(none.code, ExitCode::check_found);
    EXPECT_THAT(none.out, AllOf(HasSubstr("wrong   database"), HasSubstr("there is no database")));
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
