#include "persistence/node_store.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

/// What goes on, as `top --once` tells it.
class CliTop : public CliTest {
protected:
    /// A node that runs one job of the type `slow`, and has run others.
    void let_a_node_work() {
        const schema::TimePoint now = engine().clock().now();
        auto& nodes = engine().node_store();
        const persistence::NodeIdentity identity{.node = "node-1", .incarnation = "1"};
        nodes.register_node(identity, std::vector<std::string>{"fast", "slow"}, now, now + 1h);
        (void)nodes.renew_lease(identity, {.workers = 8, .running = 1, .held = 1}, now + 1h);
        const std::string id = add({"--type", "slow"});
        const std::vector<std::string> slow{"slow"};
        (void)engine().executor_store().acquire(
            {.owner = "node-1", .until = now + 1h, .now = now}, slow, 1
        );
        const std::int64_t revision = OpenStore(url())->jobs().find(id)->job.revision;
        nodes.record_work(
            "node-1",
            {.runs = {{.id = id, .revision = revision, .since = now - 5min}},
             .last_minute = {{"fast", 120, 30}, {"slow", 6}}}
        );
    }
};

TEST_F(CliTop, It_tells_rates_places_nodes_and_the_slowest_types) {
    let_a_node_work();
    add({"--type", "fast"});
    add({"--type", "mail", "--due-in", "30s"});
    const std::string all = ok({"top", "--once"});
    EXPECT_THAT(
        all,
        AllOf(
            HasSubstr("1.6 ok/s, 0.5 failed/s  "),
            HasSubstr("1 due within a minute"),
            HasSubstr("1 of 1 nodes live"),
            HasSubstr("executable"),
            HasSubstr("node-1"),
            HasSubstr("SLOWEST TYPES")
        )
    );
    EXPECT_LT(all.rfind("slow "), all.rfind("fast ")) << "the slowest first";
    const json object = json::parse(ok({"top", "--once", "-o", "json"}));
    EXPECT_EQ(object["runsLastMinute"], 126);
    EXPECT_EQ(object["failedLastMinute"], 30);
    EXPECT_EQ(object["failedPerSecond"], 0.5);
    EXPECT_EQ(object["dueWithinMinute"], 1);
    EXPECT_EQ(object["places"][0]["place"], "executable");
    EXPECT_EQ(object["places"][0]["jobs"], 2);
    EXPECT_EQ(object["places"][0]["locked"], 1);
    EXPECT_EQ(object["nodes"][0]["running"], 1);
    ASSERT_EQ(object["types"].size(), 2U);
    EXPECT_EQ(object["types"][0]["handlerType"], "slow");
    EXPECT_EQ(object["types"][0]["longRuns"], 1);
    EXPECT_EQ(object["types"][1]["free"], 1);
    EXPECT_EQ(object["types"][1]["runsLastMinute"], 120);
    EXPECT_EQ(object["types"][1]["failedLastMinute"], 30);
    EXPECT_THAT(all, Not(HasSubstr("EXTERNAL TOPICS")));
}

// The first seconds of a service count as what they are.
TEST_F(CliTop, A_young_node_has_the_rate_of_the_time_that_it_has_been_there) {
    let_a_node_work();
    engine().node_store().record_work("node-1", {.last_minute = {{"fast", 40'000, 100, 2s}}});
    EXPECT_THAT(ok({"top", "--once"}), HasSubstr("19950.0 ok/s, 50.0 failed/s"));
    EXPECT_EQ(json::parse(ok({"top", "--once", "-o", "json"}))["runsPerSecond"], 20'000);
}

TEST_F(CliTop, External_topics_and_who_asks_for_them_are_shown_and_those_that_nobody_asks_for) {
    let_a_node_work();
    const schema::TimePoint now = engine().clock().now();
    add({"--type", "pay", "--external"});
    add({"--type", "print", "--external"});
    engine().node_store().record_asked(
        "node-1",
        std::vector<persistence::AskedTopic>{{"pay", "w1", now - 9s}, {"pay", "w2", now - 1s}}
    );
    EXPECT_THAT(ok({"top", "--once"}), AllOf(HasSubstr("EXTERNAL TOPICS"), HasSubstr("w2")));
    const json top = json::parse(ok({"top", "--once", "-o", "json"}))["external"];
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0]["topic"], "pay");
    EXPECT_EQ(top[0]["waiting"], 1);
    EXPECT_EQ(top[0]["workers"], 2);
    EXPECT_EQ(top[0]["lastWorker"], "w2");
    EXPECT_EQ(top[1]["topic"], "print");
    EXPECT_EQ(top[1]["workers"], 0);
    EXPECT_EQ(top[1]["lastAsked"], nullptr);
    const json stats = json::parse(ok({"stats", "-o", "json"}));
    EXPECT_EQ(stats["external"], top);
    EXPECT_EQ(stats["runsLastMinute"], 126);
    EXPECT_EQ(stats["failedLastMinute"], 30);
    EXPECT_THAT(run({"stats"}).err, HasSubstr("no external worker asks for print: 1 job waits"));
    EXPECT_THAT(run({"stats"}).err, Not(HasSubstr("asks for pay")));
}

TEST_F(CliTop, What_external_workers_end_counts_at_the_node_that_was_told) {
    engine().start();
    add({"--type", "pay", "--external"});
    add({"--type", "pay", "--external"});
    executor::WorkerBroker& workers = engine().workers();
    const std::vector<schema::Job> jobs =
        workers.acquire({.worker = "w1", .topics = {"pay"}, .lock = 1h, .jobs = 2});
    ASSERT_EQ(jobs.size(), 2U);
    const std::vector<executor::WorkResult> results{
        {.job = {.id = jobs[0].id}, .what = executor::WorkCompleted{}},
        {.job = {.id = jobs[1].id}, .what = executor::WorkFailed{{.message = "no"}}}};
    (void)workers.finish("w1", results);
    EXPECT_TRUE(eventually([&] {
        const json top = json::parse(ok({"top", "--once", "-o", "json"}));
        return top["runsLastMinute"] == 2 && top["failedLastMinute"] == 1 &&
               top["external"].size() == 1 && top["external"][0]["lastWorker"] == "w1";
    }));
}

TEST_F(CliTop, A_living_node_that_stands_still_is_marked) {
    let_a_node_work();
    EXPECT_THAT(ok({"top", "--once"}), Not(HasSubstr("STANDS STILL")));
    engine().node_store().record_work(
        "node-1", {.standstill = "3 jobs are held, and none of them runs"}
    );
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"top", "--once"}, {"node", "ls"}}) {
        EXPECT_THAT(ok(command), AllOf(HasSubstr("STANDS STILL"), HasSubstr("none of them runs")));
    }
    EXPECT_EQ(
        json::parse(ok({"node", "ls", "-o", "json"}))[0]["standstill"],
        "3 jobs are held, and none of them runs"
    );
}

TEST_F(CliTop, An_empty_database_has_a_frame_too) {
    EXPECT_THAT(ok({"top", "--once"}), HasSubstr("0.0 ok/s"));
    EXPECT_EQ(json::parse(ok({"top", "--once", "-o", "json"}))["types"], json::array());
}

TEST_F(CliTop, Without_a_terminal_it_is_shown_once_or_not_at_all) {
    expect_wrong_usage(
        {"top"},
        {{{}, "top is for a terminal; elsewhere, and in other formats, --once"},
         {{"--once", "--interval", "1ms"}, "--interval must be 100 ms to 1 h"}}
    );
}

TEST_F(CliTop, The_manual_shows_commands_that_work) {
    EXPECT_GE(run_document("docs/cli.md", "## Seeing"), 1);
}

}  // namespace

}  // namespace jobstrand::test
