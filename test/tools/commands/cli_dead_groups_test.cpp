#include "deadletter/causes/failure_cause.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>

namespace jobstrand {
namespace {

using cli::ExitCode;
using nlohmann::json;
using testing::HasSubstr;

/// Dead letters of two causes: three hosts are away, and a disk is full.
class CliDeadGroups : public test::CliTest {
protected:
    void SetUp() override {
        for (const char* const host : {"7", "8", "9"}) {
            hosts_.push_back(add_dead(std::string("IOError: host ") + host + " is away"));
        }
        disk_ = add_dead("disk is full");
    }

    /// The id of the group of the three.
    [[nodiscard]] static std::string away() {
        return deadletter::id_of(deadletter::cause_of("noop", "IOError: host 1 is away"));
    }

    std::vector<std::string> hosts_;
    std::string disk_;
};

// B12
TEST_F(CliDeadGroups, They_are_grouped_by_what_they_died_of_the_most_frequent_first) {
    const json groups = json::parse(ok({"dead", "groups", "-o", "json"}));
    ASSERT_EQ(groups.size(), 2);
    json first = groups[0];
    EXPECT_TRUE(first.at("firstFailedTime").is_string());
    EXPECT_LE(first.at("firstFailedTime"), first.at("lastFailedTime"));
    first.erase("firstFailedTime");
    first.erase("lastFailedTime");
    EXPECT_EQ(
        first,
        json({
            {"group", away()},
            {"jobs", 3},
            {"handlerType", "noop"},
            {"errorClass", "IOError"},
            {"message", "host <*> is away"},
            {"exampleId", hosts_.back()},
        })
    );
    EXPECT_EQ(groups[1].at("errorClass"), nullptr);
    EXPECT_EQ(groups[1].at("exampleId"), disk_);
    EXPECT_THAT(ok({"dead", "groups"}), HasSubstr("host <*> is away"));
}

TEST_F(CliDeadGroups, A_filter_and_a_limit_leave_some_out) {
    EXPECT_EQ(ok({"dead", "groups", "--message", "away", "-o", "name"}), away() + "\n");
    const auto first = run({"dead", "groups", "--limit", "1", "-o", "name"});
    EXPECT_EQ(first.out, away() + "\n");
    EXPECT_THAT(first.err, HasSubstr("there are 1 more groups"));
}

TEST_F(CliDeadGroups, A_group_is_requeued_or_removed_as_a_whole_and_nothing_else_is) {
    EXPECT_EQ(
        ok({"dead", "requeue", "--group", away(), "--retries", "1", "-o", "json"}),
        "{\"requeued\":3,\"skipped\":0}\n"
    );
    EXPECT_EQ(places(), "executable=3 dead=1");
    const auto again = run({"dead", "requeue", "--group", away()});
    EXPECT_EQ(again.code, ExitCode::not_found);
    EXPECT_THAT(again.err, HasSubstr("no dead letter is of the group " + away()));
    const std::string full = deadletter::id_of(deadletter::cause_of("noop", "disk is full"));
    EXPECT_EQ(run({"dead", "rm", "--group", full}).code, ExitCode::refused);
    ok({"dead", "rm", "--group", full, "--yes"});
    EXPECT_EQ(places(), "executable=3");
}

TEST_F(CliDeadGroups, A_dry_run_of_a_group_shows_the_first_of_it) {
    const auto dry = run({"dead", "requeue", "--group", away(), "--dry-run", "-o", "name"});
    EXPECT_EQ(dry.out, hosts_[0] + "\n" + hosts_[1] + "\n" + hosts_[2] + "\n");
    EXPECT_THAT(dry.err, HasSubstr("3 jobs would be changed"));
    EXPECT_EQ(places(), "dead=4");
}

TEST_F(CliDeadGroups, A_group_may_be_narrowed_by_a_filter_and_is_named_as_it_is_shown) {
    ok({"dead", "requeue", "--group", away(), "--message", "host 8"});
    EXPECT_EQ(places(), "executable=1 dead=3");
    expect_wrong_usage(
        {"dead", "requeue"},
        {{{"--group", "IOError"}, "--group must be 12 hexadecimal digits"},
         {{"--group", away(), "--all"}, "--group goes with filters"},
         {{"--group", away(), hosts_[0]}, "--group goes with filters"}}
    );
}

TEST_F(CliDeadGroups, A_probe_that_nobody_runs_keeps_the_others_where_they_are) {
    const auto probe = run({"dead", "requeue", "--group", away(), "--probe", "--probe-wait", "0"});
    EXPECT_EQ(probe.code, ExitCode::failed);
    EXPECT_THAT(probe.err, HasSubstr("has not ended and stands in place executable"));
    EXPECT_THAT(probe.err, HasSubstr("no other was requeued"));
    EXPECT_EQ(places(), "executable=1 dead=3");
    const json entry = json::parse(ok({"audit", "ls", "-o", "json"})).at(0);
    EXPECT_EQ(entry.at("result"), "failed");
    EXPECT_EQ(entry.at("changed"), 1);
    EXPECT_EQ(run({"dead", "requeue", "--all", "--probe-wait", "5m"}).code, ExitCode::wrong_usage);
}

TEST_F(CliDeadGroups, One_job_may_be_requeued_with_another_payload) {
    ok({"dead", "requeue", disk_, "--payload", R"({"disk": 2})", "--reason", "another disk"});
    EXPECT_EQ(field(disk_, "payload"), R"({"disk":2})");
    EXPECT_EQ(places(), "executable=1 dead=3");
    const json entry = json::parse(ok({"audit", "ls", "-o", "json"})).at(0);
    EXPECT_EQ(entry.at("action"), "dead requeue");
    EXPECT_EQ(entry.at("reason"), "another disk");
}

TEST_F(CliDeadGroups, A_payload_that_is_wrong_or_for_several_changes_nothing) {
    expect_wrong_usage(
        {"dead", "requeue"},
        {{{hosts_[0], "--payload", "{"}, "--payload is not JSON"},
         {{"--all", "--payload", "{}"}, "--payload goes with the id of one dead letter"},
         {{hosts_[0], hosts_[1], "--payload", "{}"}, "the id of one dead letter"}}
    );
    EXPECT_EQ(run({"dead", "requeue", add(), "--payload", "{}"}).code, ExitCode::not_found);
    EXPECT_EQ(places(), "executable=1 dead=4");
}

}  // namespace
}  // namespace jobstrand
