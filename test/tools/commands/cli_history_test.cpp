#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>

namespace jobstrand {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

/// What the command line tells of the past of jobs.
class CliHistory : public test::CliTest {
protected:
    [[nodiscard]] json records(std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), {"-o", "json"});
        return json::parse(ok(arguments));
    }
};

TEST_F(CliHistory, A_removed_job_is_in_the_log_and_not_in_its_place) {
    const std::string id = add();
    EXPECT_EQ(records({"log", "ls"}).size(), 0);
    (void)ok({"job", "rm", id});
    const json lines = records({"log", "ls", "--job", id});
    ASSERT_EQ(lines.size(), 1);
    EXPECT_EQ(lines[0]["event"], "deleted");
    EXPECT_EQ(lines[0]["reason"], "removed");
    EXPECT_EQ(lines[0]["jobId"], id);
    EXPECT_EQ(lines[0]["handlerType"], "noop");
    EXPECT_EQ(lines[0]["attempt"], nullptr);
    EXPECT_THAT(ok({"log", "ls"}), HasSubstr("removed"));
    const std::string line = lines[0]["id"];
    EXPECT_EQ(records({"log", "show", line})["exceptionDetails"], nullptr);
    EXPECT_EQ(run({"log", "show", "none"}).code, ExitCode::not_found);
}

TEST_F(CliHistory, The_log_is_asked_for_events_types_and_times) {
    const std::string id = add();
    (void)ok({"job", "cancel", id, "--reason", "wrong"});
    (void)ok({"job", "rm", add()});
    EXPECT_EQ(records({"log", "ls", "--event", "dead"}).size(), 1);
    EXPECT_EQ(records({"log", "ls", "--event", "dead,deleted"}).size(), 2);
    EXPECT_EQ(records({"log", "ls", "--type", "other"}).size(), 0);
    EXPECT_EQ(records({"log", "ls", "--why", "cancelled"}).size(), 1);
    EXPECT_EQ(records({"log", "ls", "--since", "1h"}).size(), 2);
    EXPECT_EQ(records({"log", "ls", "--until", "1h"}).size(), 0);
    const std::string first = ok({"log", "ls", "--limit", "1", "-o", "name"});
    EXPECT_EQ(records({"log", "ls", "--after", first.substr(0, first.size() - 1)}).size(), 1);
    EXPECT_THAT(run({"log", "ls", "--event", "lost"}).err, HasSubstr("created, failed"));
    EXPECT_EQ(run({"log", "ls", "--job", ""}).code, ExitCode::wrong_usage);
}

TEST_F(CliHistory, A_job_shows_what_happened_to_it) {
    const std::string id = add();
    EXPECT_FALSE(records({"job", "show", id}).contains("history"));
    (void)ok({"job", "cancel", id, "--reason", "wrong"});
    const json history = records({"job", "show", id})["history"];
    ASSERT_EQ(history.size(), 1);
    EXPECT_EQ(history[0]["event"], "dead");
    EXPECT_THAT(ok({"job", "show", id}), HasSubstr("dead (cancelled)"));
}

TEST_F(CliHistory, Old_lines_are_forgotten_by_hand) {
    (void)ok({"job", "rm", add()});
    EXPECT_EQ(ok({"log", "rm", "--before", "1h"}), "removed  0\n");
    EXPECT_EQ(records({"log", "ls"}).size(), 1);
    EXPECT_EQ(run({"log", "rm"}).code, ExitCode::wrong_usage);
}

TEST_F(CliHistory, An_incident_is_seen_annotated_and_resolved) {
    const std::string id = add();
    (void)ok({"job", "set", id, "--retries", "0"});
    json open = records({"incident", "ls", "--each"});
    ASSERT_EQ(open.size(), 1);
    EXPECT_EQ(open[0]["jobId"], id);
    EXPECT_EQ(open[0]["cause"], "given_up");
    EXPECT_EQ(open[0]["endTime"], nullptr);
    (void)ok({"incident", "annotate", id, "--note", "anna calls"});
    EXPECT_EQ(records({"incident", "show", id})[0]["annotation"], "anna calls");
    (void)ok({"dead", "requeue", id});
    EXPECT_EQ(records({"incident", "ls"}).size(), 0);
    const json resolved = records({"incident", "ls", "--resolved", "--job", id});
    ASSERT_EQ(resolved.size(), 1);
    EXPECT_EQ(resolved[0]["annotation"], "anna calls");
    EXPECT_EQ(resolved[0]["resolution"], "requeued");
}

TEST_F(CliHistory, Open_incidents_are_told_by_what_their_jobs_died_of) {
    std::vector<std::string> ids{add(), add(), add()};
    for (const std::string& id : ids) {
        (void)ok({"job", "set", id, "--retries", "0"});
    }
    const json causes = records({"incident", "ls"});
    ASSERT_EQ(causes.size(), 1);
    EXPECT_EQ(causes[0]["incidents"], 3);
    EXPECT_EQ(causes[0]["handlerType"], "noop");
    EXPECT_EQ(causes[0]["message"], "its retries were set to <*>");
    EXPECT_LE(causes[0]["firstTime"], causes[0]["lastTime"]);
    EXPECT_EQ(causes[0]["group"], records({"dead", "groups"})[0]["group"]) << "as dead groups does";
    EXPECT_EQ(records({"incident", "ls", "--type", "mail"}).size(), 0);
    EXPECT_EQ(records({"incident", "ls", "--each", "--limit", "2"}).size(), 2);
    EXPECT_EQ(records({"incident", "ls", "--after", ids[0]}).size(), 2);
    EXPECT_EQ(records({"incident", "ls", "--job", ids[0]})[0]["jobId"], ids[0]);
}

TEST_F(CliHistory, Incidents_are_resolved_by_id_by_filter_or_all_and_not_by_accident) {
    const std::string first = add();
    const std::string second = add();
    (void)ok({"job", "set", first, second, "--retries", "0"});
    EXPECT_EQ(run({"incident", "resolve"}).code, ExitCode::wrong_usage);
    EXPECT_EQ(run({"incident", "resolve", "--all"}).code, ExitCode::refused);
    (void)ok({"incident", "resolve", "--all", "--dry-run"});
    EXPECT_EQ(records({"incident", "ls", "--each"}).size(), 2);
    EXPECT_EQ(run({"incident", "resolve", first, "none"}).code, ExitCode::partly_done);
    EXPECT_EQ(run({"incident", "resolve", first}).code, ExitCode::not_found);
    EXPECT_EQ(ok({"incident", "resolve", "--type", "noop", "--yes"}), "resolved  1\n");
    EXPECT_EQ(records({"incident", "ls"}).size(), 0);
    EXPECT_EQ(run({"incident", "show", "none"}).code, ExitCode::not_found);
    EXPECT_EQ(records({"job", "ls", "--place", "dead"}).size(), 2);
}

}  // namespace
}  // namespace jobstrand
