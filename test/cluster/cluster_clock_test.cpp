#include "test/cluster/servers.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "tools/engine/wiring.hpp"

#include <gtest/gtest.h>

#include <atomic>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using test::Signal;

/// The machine's clock, set wrong.
class WrongClock final : public schema::Clock {
public:
    explicit WrongClock(schema::Duration ahead) : ahead_(ahead) {}
    [[nodiscard]] schema::TimePoint now() const override { return right_.now() + ahead_; }
    [[nodiscard]] schema::SteadyPoint steady_now() const override { return right_.steady_now(); }

private:
    const schema::SystemClock right_;
    const schema::Duration ahead_;
};

/// Two nodes on one database, one with a clock that is ten minutes slow, one ten minutes fast.
class WrongClocks : public testing::TestWithParam<test::ServerUnderTest> {
protected:
    void SetUp() override {
        if (const auto& missing = GetParam().missing) {
            GTEST_SKIP() << *missing;
        }
        server = GetParam().start();
        slow = an_engine(slow_clock);
        fast = an_engine(fast_clock);
    }

    [[nodiscard]] std::unique_ptr<engine::Wiring> an_engine(const schema::Clock& clock) {
        return std::make_unique<engine::Wiring>(
            engine::WiringOptions{
                .database_url = server->url(),
                .executor = {.timer_wait = 20ms, .lock_time = 2s, .reset_interval = 50ms}},
            clock,
            log
        );
    }

    const WrongClock slow_clock{-10min};
    const WrongClock fast_clock{10min};
    const schema::SystemClock right_clock;  ///< The server runs on this machine.
    test::RecordingLog log;
    std::unique_ptr<test::Server> server;
    std::unique_ptr<engine::Wiring> slow;
    std::unique_ptr<engine::Wiring> fast;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    WrongClocks,
    testing::ValuesIn(test::servers_under_test()),
    testing::PrintToStringParamName()
);

// I6
TEST_P(WrongClocks, Timers_fire_when_they_are_due_and_the_skew_is_warned_of) {
    EXPECT_EQ(log.count(schema::LogLevel::warn, "this machine's clock is not the database's"), 2);
    EXPECT_LT(std::chrono::abs(slow->clock_skew() + 10min), 1s);
    EXPECT_LT(std::chrono::abs(fast->clock_skew() - 10min), 1s);
    for (engine::Wiring* const node : {slow.get(), fast.get()}) {
        std::atomic<schema::TimePoint> ran{};
        Signal runs;
        node->handlers().add("test", [&](const JobContext&) -> HandlerResult {
            ran = right_clock.now();
            runs.notify();
            return Succeeded{};
        });
        node->start();
        const schema::TimePoint due = right_clock.now() + 500ms;
        node->enqueue({.due_date = due, .handler_type = "test"});
        ASSERT_TRUE(runs.wait_for(1));
        EXPECT_GE(ran.load(), due - 50ms);
        EXPECT_LT(ran.load(), due + 5s);
        EXPECT_TRUE(node->stop(executor::StopMode::drain));
    }
}

// I3 I6
TEST_P(WrongClocks, A_live_lock_holds_although_the_other_nodes_clock_says_it_has_long_expired) {
    Signal started;
    Signal may_end;
    for (engine::Wiring* const node : {slow.get(), fast.get()}) {
        node->handlers().add("test", [&](const JobContext&) -> HandlerResult {
            started.notify();
            EXPECT_TRUE(may_end.wait_for(1));
            return Succeeded{};
        });
        node->start();
    }
    const std::string on_slow = slow->enqueue({.handler_type = "test"});
    const std::string on_fast = fast->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(2));
    const schema::TimePoint two_lock_times = right_clock.now() + 4s;
    EXPECT_TRUE(test::eventually([&] { return right_clock.now() > two_lock_times; }));
    for (const std::string& id : {on_slow, on_fast}) {
        const auto expiry = slow->store().find(id)->job.lock_expiration;
        ASSERT_TRUE(expiry);
        EXPECT_GT(*expiry, right_clock.now() - 1s);
        EXPECT_LT(*expiry, right_clock.now() + 3s);
    }
    may_end.notify();
    EXPECT_TRUE(test::eventually([&] {
        return slow->store().count(schema::JobPlace::executable, {}) == 0;
    }));
    EXPECT_EQ(started.count(), 2U);
}

}  // namespace
}  // namespace jobstrand
