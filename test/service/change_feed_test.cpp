#include "tools/service/api/change_feed.hpp"

#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/run_store.hpp"
#include "schema/text/time_text.hpp"
#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand {

namespace {

using nlohmann::json;
using schema::SteadyPoint;
using service::ChangeFeed;
using service::ResponseStream;
using service::WatchedNode;
using service::WatchedPart;
using test::get;
using test::RawClient;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

/// A database that says what the test wants, and takes its time for it.
class SlowSource final : public service::ChangeSource {
public:
    explicit SlowSource(SteadyPoint& now) : now_(now) {}

    [[nodiscard]] std::vector<WatchedPart>
    jobs(const service::Scope& scope, service::BacklogTrend& /*trend*/) override {
        ++looks;
        now_ += takes;
        if (is_away) {
            throw std::runtime_error("away");
        }
        return {{"stats", scope.is_narrow() ? counts_of_some : counts}};
    }

    [[nodiscard]] std::vector<WatchedNode> nodes() override { return living; }

    [[nodiscard]] std::vector<WatchedPart> work() override {
        ++looks_at_work;
        now_ += work_takes;
        return {{"work", done}};
    }

    std::string counts = "{}";
    std::string counts_of_some = R"({"some":0})";
    std::string done = R"({"running":[]})";
    std::vector<WatchedNode> living;
    std::chrono::milliseconds takes{1};
    std::chrono::milliseconds work_takes{0};
    bool is_away = false;
    int looks = 0;
    int looks_at_work = 0;

private:
    SteadyPoint& now_;
};

class ChangeFeedTest : public testing::Test {
protected:
    [[nodiscard]] std::shared_ptr<ResponseStream> a_watcher(service::Scope scope = {}) {
        service::Request request;
        request.scope = std::move(scope);
        auto stream = std::make_shared<ResponseStream>(std::move(request));
        EXPECT_TRUE(feed.add(stream));
        return stream;
    }

    /// A turn after so much time.
    void turn_after(std::chrono::milliseconds time) {
        now += time;
        (void)feed.turn();
    }

    SteadyPoint now = SteadyPoint(1h);
    SlowSource source{now};
    schema::SilentLog log;
    ChangeFeed feed{source, log, [this] { return now; }};
};

[[nodiscard]] WatchedNode a_node(const std::string& name, const std::string& state = "running") {
    return {.name = name, .state = state, .json = R"({"node":")" + name + "\"}"};
}

TEST_F(ChangeFeedTest, Who_may_see_some_jobs_only_hears_of_these_and_of_no_nodes_or_work) {
    source.living = {a_node("n1")};
    const auto some = a_watcher({.tenants = {"acme"}});
    const auto all = a_watcher();
    turn_after(0s);
    EXPECT_THAT(
        some->take().bytes,
        AllOf(HasSubstr(R"({"some":0})"), Not(HasSubstr("n1")), Not(HasSubstr("running")))
    );
    EXPECT_THAT(all->take().bytes, AllOf(HasSubstr("n1"), Not(HasSubstr("some"))));
    source.living.push_back(a_node("n2"));
    source.counts = R"({"all":1})";
    turn_after(2s);
    EXPECT_EQ(some->take().bytes, "");
    EXPECT_THAT(all->take().bytes, AllOf(HasSubstr("n2"), HasSubstr(R"({"all":1})")));
    source.counts_of_some = R"({"some":1})";
    turn_after(2s);
    EXPECT_THAT(some->take().bytes, HasSubstr(R"({"some":1})"));
    EXPECT_EQ(all->take().bytes, "");
    EXPECT_EQ(source.looks, 6) << "once for all who may see the same";
    some->hang_up();
    turn_after(2s);
    EXPECT_EQ(source.looks, 7);
}

TEST_F(ChangeFeedTest, Nothing_is_asked_while_nobody_watches) {
    EXPECT_EQ(feed.turn(), SteadyPoint::max());
    EXPECT_EQ(source.looks, 0);
    const auto watcher = a_watcher();
    EXPECT_LT(feed.turn(), SteadyPoint::max());
    EXPECT_EQ(source.looks, 1);
    watcher->hang_up();
    now += 1h;
    EXPECT_EQ(feed.turn(), SteadyPoint::max());
    EXPECT_EQ(source.looks, 1);
}

TEST_F(ChangeFeedTest, Who_comes_first_hears_all_as_it_is) {
    source.counts = R"({"places":1})";
    source.living = {a_node("n1")};
    const auto watcher = a_watcher();
    (void)feed.turn();
    EXPECT_EQ(
        watcher->take().bytes,
        "retry: 2000\n\n"
        "event: node\nid: 1\ndata: {\"change\":\"there\",\"node\":{\"node\":\"n1\"}}\n\n"
        "event: stats\nid: 2\ndata: {\"places\":1}\n\n"
        "event: work\nid: 3\ndata: {\"running\":[]}\n\n"
        ": still here\n\n"
    );
}

TEST_F(ChangeFeedTest, Each_part_is_told_as_a_whole_whenever_it_has_changed) {
    const auto watcher = a_watcher();
    turn_after(0s);
    (void)watcher->take();
    source.done = R"({"running":[{"id":"a"}]})";
    turn_after(2s);
    EXPECT_EQ(
        watcher->take().bytes, "event: work\nid: 3\ndata: {\"running\":[{\"id\":\"a\"}]}\n\n"
    );
    turn_after(2s);
    EXPECT_EQ(watcher->take().bytes, "");
    const auto later = a_watcher();
    turn_after(2s);
    EXPECT_THAT(later->take().bytes, HasSubstr(R"(data: {"running":[{"id":"a"}]})"));
    EXPECT_EQ(watcher->take().bytes, "");
}

TEST_F(ChangeFeedTest, All_who_watch_are_told_of_a_change_for_one_look) {
    const auto one = a_watcher();
    const auto other = a_watcher();
    (void)feed.turn();
    (void)one->take();
    (void)other->take();
    turn_after(1s);
    EXPECT_EQ(one->take().bytes, "");
    source.counts = R"({"places":2})";
    turn_after(1s);
    EXPECT_EQ(source.looks, 3);
    const std::string told = one->take().bytes;
    EXPECT_THAT(told, HasSubstr("data: {\"places\":2}\n\n"));
    EXPECT_EQ(other->take().bytes, told);
}

TEST_F(ChangeFeedTest, Nodes_that_join_drain_and_leave_are_told) {
    source.living = {a_node("a"), a_node("b")};
    const auto watcher = a_watcher();
    (void)feed.turn();
    (void)watcher->take();
    source.living = {a_node("b", "draining"), a_node("c")};
    turn_after(1s);
    const std::string told = watcher->take().bytes;
    EXPECT_THAT(told, HasSubstr(R"({"change":"left","node":{"node":"a"}})"));
    EXPECT_THAT(told, HasSubstr(R"({"change":"draining","node":{"node":"b"}})"));
    EXPECT_THAT(told, HasSubstr(R"({"change":"joined","node":{"node":"c"}})"));
    EXPECT_THAT(told, Not(HasSubstr("stats")));
}

TEST_F(ChangeFeedTest, Nodes_that_are_lost_or_do_something_else_are_told) {
    source.living = {a_node("a"), a_node("b")};
    const auto watcher = a_watcher();
    (void)feed.turn();
    (void)watcher->take();
    source.living[0].json = R"({"node":"a","running":1})";
    source.living[1].state = "lost";
    turn_after(1s);
    const std::string told = watcher->take().bytes;
    EXPECT_THAT(told, HasSubstr(R"({"change":"changed","node":{"node":"a","running":1}})"));
    EXPECT_THAT(told, HasSubstr(R"({"change":"lost","node":{"node":"b"}})"));
}

TEST_F(ChangeFeedTest, The_longer_a_look_takes_the_rarer_it_is_taken) {
    const auto watcher = a_watcher();
    (void)feed.turn();
    const std::pair<schema::Duration, schema::Duration> rests[] = {
        {1ms, 1s},
        {12ms, 1200ms},
        {75ms, 1500ms},  // Numbers are to be no older than two seconds,
        {100ms, 2s},     // unless that were more than a twentieth of the time.
    };
    for (const auto& [takes, rest] : rests) {
        source.takes = takes;
        turn_after(10s);
        const int looks = source.looks;
        turn_after(rest - 1ms);
        EXPECT_EQ(source.looks, looks) << takes.count();
        turn_after(1ms);
        EXPECT_EQ(source.looks, looks + 1) << takes.count();
    }
}

TEST_F(
    ChangeFeedTest,
    What_is_done_is_looked_at_the_rarer_the_longer_that_takes_and_counts_are_not
) {
    source.work_takes = 500ms;
    const auto watcher = a_watcher();
    (void)feed.turn();
    for (int i = 0; i < 9; ++i) {
        turn_after(1s);
    }
    EXPECT_EQ(source.looks, 10);
    EXPECT_EQ(source.looks_at_work, 1);
    turn_after(1s);
    EXPECT_EQ(source.looks_at_work, 2);
}

TEST_F(ChangeFeedTest, Coming_and_going_makes_nobody_look_more_often) {
    source.counts = R"({"places":3})";
    for (int i = 0; i < 50; ++i) {
        const auto watcher = a_watcher();
        turn_after(10ms);
        EXPECT_THAT(watcher->take().bytes, HasSubstr(R"({"places":3})"));
        watcher->hang_up();
    }
    EXPECT_EQ(source.looks, 1);
}

TEST_F(ChangeFeedTest, A_heartbeat_comes_every_15_seconds) {
    const auto watcher = a_watcher();
    (void)feed.turn();
    (void)watcher->take();
    turn_after(14s);
    EXPECT_EQ(watcher->take().bytes, "");
    turn_after(1s);
    EXPECT_EQ(watcher->take().bytes, ": still here\n\n");
    turn_after(1s);
    EXPECT_EQ(watcher->take().bytes, "");
}

// I8
TEST_F(ChangeFeedTest, Only_so_many_watch_and_who_leaves_makes_room) {
    std::vector<std::shared_ptr<ResponseStream>> watchers;
    for (std::size_t i = 0; i < ChangeFeed::kWatchers; ++i) {
        watchers.push_back(a_watcher());
    }
    const auto further = std::make_shared<ResponseStream>(service::Request{});
    EXPECT_FALSE(feed.add(further));
    (void)feed.turn();
    EXPECT_FALSE(feed.add(further));
    watchers.front()->hang_up();
    turn_after(1s);
    EXPECT_TRUE(feed.add(further));
}

TEST_F(ChangeFeedTest, A_database_that_is_away_is_waited_for_and_then_told_anew) {
    const auto watcher = a_watcher();
    (void)feed.turn();
    (void)watcher->take();
    source.is_away = true;
    turn_after(1s);
    const auto later = a_watcher();
    turn_after(1s);
    EXPECT_EQ(watcher->take().bytes, "");
    EXPECT_EQ(later->take().bytes, "retry: 2000\n\n");
    source.is_away = false;
    turn_after(1s);
    EXPECT_THAT(watcher->take().bytes, AllOf(HasSubstr("event: stats"), HasSubstr("event: work")));
    EXPECT_THAT(later->take().bytes, HasSubstr("event: stats"));
}

TEST_F(ChangeFeedTest, At_the_end_all_streams_end_and_nobody_may_watch) {
    const auto watcher = a_watcher();
    (void)feed.turn();
    const auto fresh = a_watcher();
    feed.finish();
    EXPECT_EQ(feed.turn(), SteadyPoint::max());
    EXPECT_TRUE(watcher->take().is_last);
    EXPECT_TRUE(fresh->take().is_last);
    EXPECT_FALSE(feed.add(std::make_shared<ResponseStream>(service::Request{})));
}

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
