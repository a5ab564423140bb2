#include "executor/loop/polling_loop.hpp"

#include "persistence/sql/db_error.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using test::Signal;

/// An activity whose passes are given as a function of their number, from 1.
class ScriptedActivity final : public Activity {
public:
    explicit ScriptedActivity(std::function<schema::Duration(int)> script)
        : script_(std::move(script)) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "scripted"; }

    [[nodiscard]] schema::Duration run_once() override {
        passes.notify();
        return script_(++count_);
    }

    Signal passes;

private:
    std::function<schema::Duration(int)> script_;
    int count_ = 0;
};

class PollingLoopTest : public testing::Test {
protected:
    PollingLoopTest() : guard_(context.get_executor()), thread_([this] { context.run(); }) {}
    ~PollingLoopTest() override {
        guard_.reset();
        thread_.join();
    }

    boost::asio::io_context context;
    test::RecordingLog log;

private:
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_;
    std::thread thread_;
};

TEST_F(PollingLoopTest, Passes_follow_each_other_after_the_wait_that_each_returned) {
    ScriptedActivity activity([](int) { return 1ms; });
    PollingLoop loop(context, activity, log);
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(5));
    loop.stop();
}

TEST_F(PollingLoopTest, Waking_brings_the_next_pass_at_once) {
    ScriptedActivity activity([](int) { return kUntilWoken; });
    PollingLoop loop(context, activity, log);
    loop.start();
    ASSERT_TRUE(activity.passes.wait_for(1));
    loop.wake();
    EXPECT_TRUE(activity.passes.wait_for(2));
    loop.stop();
}

TEST_F(PollingLoopTest, A_wake_up_during_a_pass_is_not_lost) {
    PollingLoop* self = nullptr;
    ScriptedActivity activity([&](int pass) {
        if (pass == 1) {
            self->wake();
        }
        return kUntilWoken;
    });
    PollingLoop loop(context, activity, log);
    self = &loop;
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(2));
    loop.stop();
}

TEST_F(PollingLoopTest, No_pass_runs_after_stop_has_returned) {
    ScriptedActivity activity([](int) { return 0ms; });
    PollingLoop loop(context, activity, log);
    loop.start();
    ASSERT_TRUE(activity.passes.wait_for(10));
    loop.stop();
    const std::size_t passes = activity.passes.count();
    loop.wake();
    loop.stop();
    EXPECT_FALSE(activity.passes.wait_for(passes + 1, 20ms));
}

TEST_F(PollingLoopTest, Stopping_a_loop_that_was_never_started_returns_at_once) {
    ScriptedActivity activity([](int) { return 0ms; });
    PollingLoop loop(context, activity, log);
    loop.stop();
    loop.stop();
    EXPECT_EQ(activity.passes.count(), 0U);
}

TEST_F(PollingLoopTest, A_pass_that_fails_is_logged_once_and_tried_until_it_works) {
    ScriptedActivity activity([](int pass) -> schema::Duration {
        if (pass <= 3) {
            throw persistence::DbError(persistence::DbErrorKind::schema_missing, "no such table");
        }
        return kUntilWoken;
    });
    PollingLoop loop(context, activity, log);
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(4));
    loop.stop();
    EXPECT_EQ(log.count(schema::LogLevel::warn, "pass failed"), 1);
    EXPECT_EQ(log.count(schema::LogLevel::info, "works again"), 1);
}

TEST_F(PollingLoopTest, An_outage_of_the_database_is_left_to_the_store_to_say) {
    ScriptedActivity activity([](int pass) -> schema::Duration {
        if (pass <= 2) {
            throw persistence::DbError(persistence::DbErrorKind::connection_lost, "gone");
        }
        return kUntilWoken;
    });
    PollingLoop loop(context, activity, log);
    loop.start();
    EXPECT_TRUE(activity.passes.wait_for(3));
    loop.stop();
    EXPECT_EQ(log.count(schema::LogLevel::warn, ""), 0);
    EXPECT_EQ(log.count(schema::LogLevel::info, ""), 0);
    EXPECT_EQ(log.count(schema::LogLevel::debug, "pass failed"), 2);
}

TEST_F(PollingLoopTest, Waking_and_stopping_from_many_threads_is_safe) {
    for (int round = 0; round < 50; ++round) {
        ScriptedActivity activity([](int) { return 0ms; });
        PollingLoop loop(context, activity, log);
        loop.start();
        std::vector<std::thread> threads;
        for (int i = 0; i < 3; ++i) {
            threads.emplace_back([&loop] {
                for (int wakes = 0; wakes < 20; ++wakes) {
                    loop.wake();
                }
                loop.stop();
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
    }
}

}  // namespace
}  // namespace jobstrand::executor
