#include "test/engine/engine_fixture.hpp"

#include <algorithm>
#include <latch>
#include <thread>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using executor::HandlerResult;
using executor::Interrupted;
using executor::JobContext;
using executor::StopMode;
using executor::Succeeded;
using schema::JobPlace;
using test::EngineTest;
using test::Signal;

TEST_F(EngineTest, A_drain_lets_running_jobs_finish_and_frees_the_queued_ones) {
    Signal started;
    Signal may_end;
    const auto engine = an_engine({.core_pool_size = 1, .max_pool_size = 1});
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        started.notify();
        EXPECT_TRUE(may_end.wait_for(1));
        return Succeeded{};
    });
    engine->start();
    const auto ids =
        engine->enqueue_all(std::vector<schema::Job>(5, schema::Job{.handler_type = "test"}));
    ASSERT_TRUE(started.wait_for(1));

    bool is_clean = false;
    std::thread stopping([&] { is_clean = engine->stop(StopMode::drain); });
    EXPECT_TRUE(test::eventually([&] { return !engine->is_running(); }));
    EXPECT_TRUE(arrives(*engine, ids[4], JobPlace::executable));
    may_end.notify();
    stopping.join();

    EXPECT_TRUE(is_clean);
    EXPECT_EQ(started.count(), 1U);
    // Mostly the first has run; acquisition may have been faster than the hand-off.
    const auto left = std::ranges::count_if(ids, [&](const std::string& id) {
        const auto found = engine->store().find(id);
        return found && found->job.retries == 3;
    });
    EXPECT_EQ(left, 4);
    EXPECT_EQ(engine->store().count(JobPlace::executable, {.locked = false}), 4);
}

/// A handler that ends only when it is told to.
HandlerResult run_until_told_to_stop(const JobContext& context, Signal& started) {
    started.notify();
    Signal told;
    const std::stop_callback on_stop(context.stop, [&] { told.notify(); });
    EXPECT_TRUE(told.wait_for(1));
    return Interrupted{};
}

TEST_F(EngineTest, Stopping_at_once_tells_running_handlers_to_stop_and_loses_nothing) {
    Signal started;
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext& context) {
        return run_until_told_to_stop(context, started);
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    EXPECT_TRUE(engine->stop(StopMode::at_once));
    const auto found = engine->store().find(id);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->place, JobPlace::timer);
    EXPECT_EQ(found->job.retries, 3);
    EXPECT_TRUE(found->job.lock_owner.empty());
}

TEST_F(EngineTest, A_second_stop_hurries_a_drain_that_is_under_way) {
    Signal started;
    const auto engine = an_engine({.shutdown_wait = 1h});
    engine->handlers().add("test", [&](const JobContext& context) {
        return run_until_told_to_stop(context, started);
    });
    engine->start();
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    bool is_clean = false;
    std::thread draining([&] { is_clean = engine->stop(StopMode::drain); });
    EXPECT_TRUE(test::eventually([&] { return !engine->is_running(); }));
    EXPECT_FALSE(engine->stop(StopMode::at_once));
    draining.join();
    EXPECT_TRUE(is_clean);
}

// R174
TEST_F(EngineTest, A_drain_tells_handlers_to_stop_when_the_shutdown_wait_is_over) {
    Signal started;
    const auto engine = an_engine({.shutdown_wait = 30ms});
    engine->handlers().add("test", [&](const JobContext& context) {
        return run_until_told_to_stop(context, started);
    });
    engine->start();
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    EXPECT_TRUE(engine->stop(StopMode::drain));
}

// What runs on is never joined, so engine and gate live as long as the process.
TEST_F(EngineTest, A_forced_stop_names_the_handlers_that_it_abandons) {
    static std::latch& gate = *new std::latch(1);
    Signal started;
    static auto& engine = *an_engine({.shutdown_wait = 0ms}).release();
    engine.handlers().add("deaf", [&](const JobContext&) -> HandlerResult {
        started.notify();
        gate.wait();
        return Succeeded{};
    });
    engine.handlers().add("test", [](const JobContext&) { return Succeeded{}; });
    engine.start();
    const std::string id = engine.enqueue({.handler_type = "deaf"});
    engine.enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    EXPECT_FALSE(engine.stop(StopMode::at_once));
    const test::RecordingLog::Line line = log.lines().back();
    EXPECT_EQ(line.level, schema::LogLevel::warn);
    EXPECT_EQ(line.fields, "abandoned=1 jobs=" + id + " (deaf) ");
}

TEST_F(EngineTest, Stopping_an_engine_that_was_never_started_is_clean) {
    const auto engine = an_engine();
    EXPECT_TRUE(engine->stop(StopMode::drain));
}

// R154
TEST_F(EngineTest, An_engine_that_is_stopped_hands_nothing_over) {
    Signal started;
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        started.notify();
        return Succeeded{};
    });
    engine->start();
    EXPECT_TRUE(engine->stop(StopMode::drain));
    const std::string id = engine->enqueue({.handler_type = "test"});
    EXPECT_TRUE(engine->store().find(id)->job.lock_owner.empty());
    EXPECT_EQ(started.count(), 0U);
}

}  // namespace
}  // namespace jobstrand
