#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace jobstrand {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

/// Whoever changes something on the command line is written down.
class CliAudit : public test::CliTest {
protected:
    CliAudit() { environment_["USER"] = "anna"; }

    /// The latest first.
    [[nodiscard]] json entries() { return json::parse(ok({"audit", "ls", "-o", "json"})); }
};

TEST_F(CliAudit, A_change_has_who_when_what_how_many_and_why) {
    const std::string first = add_dead();
    (void)add_dead();
    (void)ok({"dead", "requeue", "--all", "--retries", "2", "--reason", "the server is back"});
    const json all = entries();
    ASSERT_EQ(all.size(), 1);
    json entry = all[0];
    EXPECT_THAT(entry["time"].get<std::string>(), HasSubstr("T"));
    entry.erase("id");
    entry.erase("time");
    EXPECT_EQ(
        entry,
        json({
            {"who", "anna"},
            {"via", "cli"},
            {"action", "dead requeue"},
            {"arguments", "--retries 2 --all"},
            {"reason", "the server is back"},
            {"result", "done"},
            {"changed", 2},
        })
    );
}

// Timers of systemd and containers have no such variables.
TEST_F(CliAudit, Who_has_no_name_in_the_environment_is_the_owner_of_the_process) {
    environment_.erase("USER");
    environment_.erase("LOGNAME");
    const passwd* const owner = ::getpwuid(::geteuid());
    if (owner == nullptr) {
        GTEST_SKIP() << "the system does not know this user";
    }
    const std::string name = owner->pw_name;
    (void)ok({"limit", "set", "type:a", "--concurrent", "1"});
    EXPECT_EQ(entries().at(0)["who"], name);
}

TEST_F(CliAudit, A_run_by_hand_is_a_change_too) {
    const std::string id = add();
    EXPECT_THAT(ok({"job", "run", id}), HasSubstr("completed"));
    const json entry = entries().at(0);
    EXPECT_EQ(entry["action"], "job run");
    EXPECT_EQ(entry["arguments"], "-- " + id);
    EXPECT_EQ(entry["result"], "done");
    EXPECT_EQ(entry["changed"], 1);
}

TEST_F(CliAudit, How_it_ended_is_told) {
    const std::string id = add();
    struct Row {
        std::vector<std::string> arguments;
        std::string action;
        std::string result;
    };
    const std::vector<Row> rows{
        {{"job", "set", id, "--priority", "5"}, "job set", "done"},
        {{"job", "rm", id, "none"}, "job rm", "partly done"},
        {{"job", "cancel", "none", "--reason", "wrong"}, "job cancel", "not found"},
        {{"dead", "rm", "--all"}, "dead rm", "refused"},
        {{"limit", "set", "type:a", "--concurrent", "1"}, "limit set", "done"},
        {{"instance", "suspend", "order-17"}, "instance suspend", "done"},
    };
    for (const Row& row : rows) {
        (void)run(row.arguments);
        const json entry = entries().at(0);
        EXPECT_EQ(entry["action"], row.action);
        EXPECT_EQ(entry["result"], row.result) << row.action;
    }
    EXPECT_EQ(entries().size(), rows.size());
}

TEST_F(CliAudit, A_verb_that_asks_why_need_not_be_told_twice) {
    (void)ok({"job", "cancel", add(), "--reason", "wrong file"});
    EXPECT_EQ(entries().at(0)["reason"], "wrong file");
}

TEST_F(CliAudit, Whoever_looks_adds_or_only_tries_leaves_no_trace) {
    (void)add_dead();
    (void)ok({"job", "ls"});
    (void)ok({"stats"});
    (void)ok({"dead", "requeue", "--all", "--dry-run"});
    EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(CliAudit, A_list_has_filters_and_goes_on_behind_an_entry) {
    (void)ok({"limit", "set", "type:a", "--concurrent", "1"});
    environment_["USER"] = "bert";
    (void)ok({"limit", "rm", "type:a"});
    EXPECT_EQ(json::parse(ok({"audit", "ls", "--who", "bert", "-o", "json"})).size(), 1);
    EXPECT_EQ(
        json::parse(ok({"audit", "ls", "--action", "limit set", "-o", "json"}))[0]["who"], "anna"
    );
    EXPECT_EQ(json::parse(ok({"audit", "ls", "--since", "1h", "-o", "json"})).size(), 2);
    EXPECT_EQ(json::parse(ok({"audit", "ls", "--until", "1h", "-o", "json"})).size(), 0);
    const std::string first = ok({"audit", "ls", "--limit", "1", "-o", "name"});
    EXPECT_EQ(
        json::parse(ok({"audit", "ls", "--after", first.substr(0, first.size() - 1), "-o", "json"}))
            .size(),
        1
    );
}

TEST_F(CliAudit, What_is_old_is_forgotten_and_that_is_written_down) {
    (void)ok({"limit", "set", "type:a", "--concurrent", "1"});
    EXPECT_EQ(ok({"audit", "rm", "--before", "1d"}), "removed  0\n");
    EXPECT_EQ(entries().size(), 2);
    EXPECT_EQ(entries()[0]["action"], "audit rm");
    EXPECT_EQ(run({"audit", "rm"}).code, ExitCode::wrong_usage);
}

}  // namespace
}  // namespace jobstrand
