#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/run_store.hpp"
#include "schema/text/time_text.hpp"
#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

#include <span>
#include <string>
#include <vector>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using test::get;
using test::RawClient;
using testing::HasSubstr;

constexpr std::string_view kData = "data: ";

class EventsTest : public test::ApiTest {
protected:
    /// The data of the next event of this name.
    [[nodiscard]] static json next(RawClient& client, const std::string& event) {
        (void)client.receive_until("event: " + event + "\n");
        (void)client.receive_until(kData);
        return json::parse(client.receive_until("\n"), nullptr, false);
    }

    /// The statistics without what changes all the time.
    [[nodiscard]] json counts() {
        json stats = look("/api/v1/stats?soon=true");
        for (const char* member : {"runsLastMinute", "failedLastMinute", "external"}) {
            EXPECT_EQ(stats.erase(member), 1U) << member;
        }
        return stats;
    }
};

TEST_F(EventsTest, Who_watches_hears_the_counts_and_that_they_have_changed) {
    RawClient client(http->port());
    (void)client.send(get("/api/v1/events"));
    EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("Content-Type: text/event-stream\r\n"));
    const json before = next(client, "stats");
    EXPECT_EQ(before, counts());
    add(R"({"handlerType":"noop"})");
    const json after = next(client, "stats");
    EXPECT_EQ(after["places"]["executable"], 1);
    EXPECT_EQ(after, counts());
}

TEST_F(EventsTest, Who_watches_hears_what_waits_runs_and_was_run) {
    const schema::TimePoint now = engine.clock().now();
    const std::vector<std::string> slow{"slow"};
    persistence::NodeStore& nodes = engine.node_store();
    nodes.register_node({.node = "n1", .incarnation = "1"}, slow, now, now + 1h);
    add(R"({"id":"long","handlerType":"slow"})");
    const auto held =
        engine.executor_store().acquire({.owner = "n1", .until = now + 1h, .now = now}, slow, 1);
    ASSERT_EQ(held.size(), 1U);
    nodes.record_work(
        "n1", {.runs = {{.id = "long", .revision = held[0].revision, .since = now - 5min}}}
    );
    add(R"({"handlerType":"noop"})");
    add(R"({"handlerType":"pay","external":true})");
    const schema::Duration length = schema::kShortSpan;
    schema::ThroughputSpan span{.length = length, .at = now - now.time_since_epoch() % length};
    span.counts.of("mail").completed = 7;
    engine.throughput_store().add_throughput("n1", std::span(&span, 1));

    RawClient client(http->port());
    (void)client.send(get("/api/v1/events"));
    const json backlog = next(client, "backlog");
    EXPECT_EQ(backlog["jobs"], 1);
    EXPECT_EQ(backlog["growthPerSecond"], nullptr) << "it was looked once";
    const json rates = next(client, "rates");
    EXPECT_EQ(rates["spans"].at(0)["completed"], 7);
    EXPECT_EQ(rates["types"].at(0)["type"], "mail");
    EXPECT_EQ(rates["types"].at(0)["completed"], 7);
    const json work = next(client, "work");
    EXPECT_EQ(work["oldest"]["handlerType"], "noop");
    EXPECT_EQ(work["oldest"]["place"], "executable");
    ASSERT_EQ(work["running"].size(), 1U);
    EXPECT_EQ(work["running"][0]["id"], "long");
    EXPECT_EQ(work["running"][0]["node"], "n1");
    EXPECT_EQ(work["running"][0]["runsSince"], schema::format_instant(now - 5min));
    ASSERT_EQ(work["external"].size(), 1U);
    EXPECT_EQ(work["external"][0]["topic"], "pay");
}

TEST_F(EventsTest, Who_watches_hears_that_a_node_is_lost) {
    const schema::TimePoint now = engine.clock().now();
    const std::vector<std::string> nothing;
    engine.node_store().register_node({.node = "n1", .incarnation = "1"}, nothing, now - 1h, now);
    RawClient client(http->port());
    (void)client.send(get("/api/v1/events"));
    EXPECT_EQ(next(client, "node")["change"], "there");
    EXPECT_THAT(engine.node_store().end_expired_leases(now + 1s), testing::ElementsAre("n1"));
    const json lost = next(client, "node");
    EXPECT_EQ(lost["change"], "lost");
    EXPECT_EQ(lost["node"]["state"], "lost");
}

TEST_F(EventsTest, A_stop_ends_the_streams_and_lets_nobody_begin_one) {
    RawClient client(http->port());
    (void)client.send(get("/api/v1/events"));
    EXPECT_TRUE(next(client, "stats").is_object());
    http->say_stopping();
    (void)client.receive_rest();
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(ask(get("/api/v1/events")).status, 503);
    http->stop();
}

}  // namespace
}  // namespace jobstrand
