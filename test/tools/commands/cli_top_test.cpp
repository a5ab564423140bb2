#include "persistence/node_store.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace jobstrand::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

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
        const std::int64_t revision = OpenStore(url())->find(id)->job.revision;
        nodes.tell_work(
            "node-1",
            {.runs = {{.id = id, .revision = revision, .since = now - 5min}},
             .last_minute = {{"fast", 120}, {"slow", 3}}}
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
            HasSubstr("2.0 runs/s in the last minute"),
            HasSubstr("1 due within a minute"),
            HasSubstr("1 of 1 nodes live"),
            HasSubstr("executable"),
            HasSubstr("node-1"),
            HasSubstr("SLOWEST TYPES")
        )
    );
    EXPECT_LT(all.rfind("slow "), all.rfind("fast ")) << "the slowest first";
    const json object = json::parse(ok({"top", "--once", "-o", "json"}));
    EXPECT_EQ(object["runsLastMinute"], 123);
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
}

TEST_F(CliTop, An_empty_database_has_a_frame_too) {
    EXPECT_THAT(ok({"top", "--once"}), HasSubstr("0.0 runs/s"));
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
