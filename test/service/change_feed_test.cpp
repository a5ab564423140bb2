#include "tools/service/api/change_feed.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <stdexcept>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::SteadyPoint;
using service::ChangeFeed;
using service::ResponseStream;
using service::WatchedNode;
using service::WatchedPart;
using testing::HasSubstr;
using testing::Not;

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

}  // namespace
}  // namespace jobstrand
