#include "test/engine/engine_fixture.hpp"

#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using executor::AsyncRun;
using executor::Failed;
using executor::Interrupted;
using executor::StopMode;
using executor::Succeeded;
using schema::JobPlace;
using test::EngineTest;
using test::Signal;

/// Jobs of the type `test` are kept under way until the test ends them.
class AsyncHandlerTest : public EngineTest {
protected:
    void add_to(engine::Wiring& engine) {
        engine.handlers().add_async("test", [this](std::shared_ptr<AsyncRun> run) {
            const std::lock_guard lock(mutex_);
            runs_.push_back(std::move(run));
            begun.notify();
        });
    }

    [[nodiscard]] static std::vector<schema::Job> jobs(std::size_t count) {
        return std::vector<schema::Job>(count, schema::Job{.handler_type = "test"});
    }

    /// All that have begun and were not taken before.
    [[nodiscard]] std::vector<std::shared_ptr<AsyncRun>> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(runs_, {});
    }

    Signal begun;

private:
    std::mutex mutex_;
    std::vector<std::shared_ptr<AsyncRun>> runs_;  ///< Guarded by mutex_.
};

// R148
TEST_F(AsyncHandlerTest, Many_runs_are_under_way_on_one_thread) {
    constexpr std::size_t kJobs = 500;
    const auto engine = an_engine({.core_pool_size = 1, .max_pool_size = 1});
    add_to(*engine);
    engine->start();
    engine->enqueue_all(jobs(kJobs));
    ASSERT_TRUE(begun.wait_for(kJobs));
    EXPECT_EQ(count(*engine, JobPlace::executable), kJobs);
    EXPECT_EQ(engine->load().running, kJobs);
    for (const auto& run : take()) {
        run->end(Succeeded{});
    }
    EXPECT_TRUE(all_jobs_end(*engine));
}

TEST_F(AsyncHandlerTest, A_failure_is_retried_and_an_interruption_costs_nothing) {
    const auto engine = an_engine();
    add_to(*engine);
    engine->start();
    const auto ids = engine->enqueue_all(jobs(2));
    ASSERT_TRUE(begun.wait_for(2));
    const auto runs = take();
    runs[0]->end(Failed{.message = "no answer", .retry_after = 1h});
    runs[1]->end(Interrupted{.wait = 1h});
    EXPECT_TRUE(test::eventually([&] { return count(*engine, JobPlace::timer) == 2; }));
    const auto failed = engine->store().find(runs[0]->context().job.id);
    EXPECT_EQ(failed->job.retries, 2);
    EXPECT_EQ(failed->job.exception_message, "no answer");
    EXPECT_EQ(engine->store().find(runs[1]->context().job.id)->job.retries, 3);
}

TEST_F(AsyncHandlerTest, No_more_than_the_setting_says_are_under_way) {
    const auto engine = an_engine({.core_pool_size = 1, .max_pool_size = 1, .async_runs = 3});
    add_to(*engine);
    engine->start();
    engine->enqueue_all(jobs(5));
    ASSERT_TRUE(begun.wait_for(3));
    EXPECT_EQ(begun.count(), 3U);
    take().front()->end(Succeeded{});
    // The others fail, since nobody can end them any more; they wait as timers.
    EXPECT_TRUE(begun.wait_for(5));
    EXPECT_TRUE(test::eventually([&] { return count(*engine, JobPlace::timer) == 2; }));
    EXPECT_EQ(take().size(), 2U);
}

TEST_F(AsyncHandlerTest, A_drain_waits_for_them) {
    const auto engine = an_engine();
    add_to(*engine);
    engine->start();
    engine->enqueue_all(jobs(1));
    ASSERT_TRUE(begun.wait_for(1));
    bool is_clean = false;
    std::thread stopping([&] { is_clean = engine->stop(StopMode::drain); });
    EXPECT_TRUE(test::eventually([&] { return !engine->is_running(); }));
    take().front()->end(Succeeded{});
    stopping.join();
    EXPECT_TRUE(is_clean);
    EXPECT_EQ(count(*engine, JobPlace::executable), 0);
}

TEST_F(AsyncHandlerTest, A_stop_at_once_gives_them_the_stop_signal) {
    const auto engine = an_engine();
    add_to(*engine);
    engine->start();
    engine->enqueue_all(jobs(1));
    ASSERT_TRUE(begun.wait_for(1));
    const auto run = take().front();
    const std::stop_callback on_stop(run->context().stop, [&] { run->end(Interrupted{}); });
    EXPECT_TRUE(engine->stop(StopMode::at_once));
    EXPECT_EQ(count(*engine, JobPlace::timer), 1);
}

TEST_F(AsyncHandlerTest, A_run_by_hand_waits_for_its_end) {
    const auto engine = an_engine();
    add_to(*engine);
    const std::string id = engine->enqueue(jobs(1).front());
    std::thread ending([&] {
        EXPECT_TRUE(begun.wait_for(1));
        take().front()->end(Succeeded{});
    });
    EXPECT_EQ(engine->run_job(id).answer, executor::ManualRunAnswer::done);
    ending.join();
    EXPECT_FALSE(engine->store().find(id));
}

TEST_F(AsyncHandlerTest, Exclusive_jobs_of_an_instance_wait_for_the_end_of_the_former) {
    const auto engine = an_engine();
    add_to(*engine);
    engine->start();
    std::vector<schema::Job> exclusive = jobs(2);
    for (schema::Job& job : exclusive) {
        job.process_instance_id = "order-1";
        job.exclusive = true;
    }
    engine->enqueue_all(exclusive);
    ASSERT_TRUE(begun.wait_for(1));
    const auto first = take();
    ASSERT_EQ(first.size(), 1U);
    first.front()->end(Succeeded{});
    ASSERT_TRUE(begun.wait_for(2));
    take().front()->end(Succeeded{});
    EXPECT_TRUE(all_jobs_end(*engine));
}

}  // namespace
}  // namespace jobstrand
