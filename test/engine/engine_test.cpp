#include "persistence/migration/ddl.hpp"
#include "test/engine/engine_fixture.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "tools/engine/wiring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <stdexcept>
#include <thread>

namespace jobstrand::test {

namespace {

using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using executor::JobContext;
using executor::ManualRunAnswer;
using executor::StopMode;
using executor::Succeeded;
using persistence::Transaction;
using schema::JobPlace;
using namespace std::chrono_literals;

void make_priority_index(engine::Wiring& engine) {
    const schema::OptionalIndex& index = schema::kPriorityIndex;
    engine.in_transaction([&index](Transaction& transaction) {
        transaction.execute(
            persistence::create_index(index.table, index.index, transaction.dialect())
        );
    });
}

// R004
TEST_F(EngineTest, Nothing_runs_until_the_engine_is_started) {
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", counting(runs));
    engine->enqueue({.handler_type = "test"});
    EXPECT_EQ(count(*engine, JobPlace::executable), 1);
    EXPECT_EQ(runs.count(), 0U);
    engine->start();
    EXPECT_TRUE(runs.wait_for(1));
    EXPECT_TRUE(all_jobs_end(*engine));
}

// R014 R018 R045
TEST_F(EngineTest, One_worker_runs_jobs_in_priority_order) {
    const auto engine =
        an_engine({.core_pool_size = 1, .max_pool_size = 1, .order = {.by_priority = true}});
    EXPECT_THROW(engine->start(), persistence::DbError);
    make_priority_index(*engine);
    std::vector<std::int64_t> order;
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        order.push_back(context.job.priority);
        return Succeeded{};
    });
    for (const std::int64_t priority : {0, 50, -3, 7, 50, 0}) {
        engine->enqueue({.handler_type = "test", .priority = priority});
    }
    engine->start();
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(order, (std::vector<std::int64_t>{50, 50, 7, 0, 0, -3}));
}

// R014: what comes while a job runs is not kept waiting by what came before it.
TEST_F(EngineTest, By_priority_an_important_job_passes_all_that_wait) {
    Signal runs;
    Signal go;
    const auto engine =
        an_engine({.core_pool_size = 1, .max_pool_size = 1, .order = {.by_priority = true}});
    make_priority_index(*engine);
    std::vector<std::int64_t> order;
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        order.push_back(context.job.priority);
        runs.notify();
        (void)go.wait_for(1);
        return Succeeded{};
    });
    engine->start();
    engine->enqueue({.handler_type = "test", .priority = 1});
    ASSERT_TRUE(runs.wait_for(1));
    for (const std::int64_t priority : {2, 3, 100, 9}) {
        engine->enqueue({.handler_type = "test", .priority = priority});
    }
    go.notify();
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(order, (std::vector<std::int64_t>{1, 100, 9, 3, 2}));
}

// R152 R153
TEST_F(EngineTest, A_job_is_handed_over_right_after_its_commit_without_a_poll) {
    Signal runs;
    const auto engine = an_engine({.acquire_async_jobs = false});
    engine->handlers().add("test", counting(runs));
    engine->start();
    EXPECT_FALSE(engine->node_store().nodes().at(0).fetching.jobs);
    engine->in_transaction([&](Transaction& transaction) {
        engine->enqueue(transaction, {.handler_type = "test"});
        EXPECT_EQ(runs.count(), 0U);
    });
    EXPECT_TRUE(runs.wait_for(1));
    EXPECT_TRUE(all_jobs_end(*engine));
}

// R003
TEST_F(EngineTest, A_job_of_a_transaction_that_rolls_back_never_exists) {
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", counting(runs));
    engine->start();
    const auto failing = [&](Transaction& transaction) {
        engine->enqueue(transaction, {.handler_type = "test"});
        throw std::runtime_error("the app changed its mind");
    };
    EXPECT_THROW(engine->in_transaction(failing), std::runtime_error);
    EXPECT_EQ(count(*engine, JobPlace::executable), 0);
    EXPECT_EQ(runs.count(), 0U);
}

// R155
TEST_F(EngineTest, A_job_inserted_by_plain_sql_in_another_engine_is_found_by_polling) {
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", counting(runs));
    engine->start();
    const auto app = an_engine();
    app->in_transaction([](Transaction& transaction) {
        transaction.execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('plain', 'test')");
    });
    EXPECT_TRUE(runs.wait_for(1));
    EXPECT_TRUE(all_jobs_end(*engine));
}

// R062 R063 R157 R158
TEST_F(
    EngineTest,
    A_job_that_always_fails_runs_as_often_as_its_cycle_says_and_ends_as_a_dead_letter
) {
    std::atomic<int> runs{0};
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        EXPECT_EQ(context.attempt, ++runs);
        return Failed{.message = "out of paper", .details = "tray 1 of 2"};
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test", .retry_cycle = "R3/PT0.01S"});
    ASSERT_TRUE(arrives(*engine, id, JobPlace::dead_letter));
    EXPECT_EQ(runs, 3);
    const schema::Job dead = engine->store().find(id)->job;
    EXPECT_EQ(dead.exception_message, "out of paper");
    EXPECT_EQ(engine->store().exception_details(dead), "tray 1 of 2");
    EXPECT_EQ(dead.attempts, 3);
}

TEST_F(EngineTest, A_requeued_dead_letter_runs_again_and_ends) {
    std::atomic<bool> is_repaired{false};
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        if (is_repaired) {
            return Succeeded{};
        }
        return Failed{.message = "broken", .retryable = false};
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(arrives(*engine, id, JobPlace::dead_letter));
    is_repaired = true;
    const auto counts =
        engine->dead_letters().requeue(deadletter::JobSelection::matching({}), {.retries = 1});
    EXPECT_EQ(counts.done, 1);
    EXPECT_TRUE(all_jobs_end(*engine));
}

// R151
TEST_F(EngineTest, A_timer_fires_at_its_time_and_not_before) {
    std::atomic<schema::TimePoint> fired{};
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        fired = clock.now();
        runs.notify();
        return Succeeded{};
    });
    engine->start();
    const schema::TimePoint due = clock.now() + 120ms;
    engine->enqueue({.due_date = due, .handler_type = "test"});
    EXPECT_EQ(count(*engine, JobPlace::timer), 1);
    ASSERT_TRUE(runs.wait_for(1));
    EXPECT_GE(fired.load(), due);
    EXPECT_TRUE(all_jobs_end(*engine));
}

TEST_F(EngineTest, One_worker_runs_timers_in_the_order_in_which_they_are_due) {
    constexpr int kTimers = 500;
    Signal runs;
    std::vector<schema::TimePoint> due_dates;
    const auto engine = an_engine({.core_pool_size = 1, .max_pool_size = 1, .timer_page = 100});
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        due_dates.push_back(context.job.due_date.value());
        runs.notify();
        return Succeeded{};
    });
    engine->start();
    std::vector<schema::Job> timers;
    // Time enough to insert all of them before the first one is due.
    const schema::TimePoint first = clock.now() + 1s;
    for (int i = 0; i < kTimers; ++i) {
        const int shuffled = (i * 7) % kTimers;
        timers.push_back({.due_date = first + shuffled * 1ms, .handler_type = "test"});
    }
    engine->enqueue_all(std::move(timers));
    ASSERT_TRUE(runs.wait_for(kTimers));
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_TRUE(std::ranges::is_sorted(due_dates));
    EXPECT_EQ(due_dates.size(), kTimers);
}

// R156: a full queue frees the jobs again; none is lost, none uses a retry.
TEST_F(EngineTest, Far_more_jobs_than_the_queue_holds_all_run_once) {
    Signal runs;
    const auto engine =
        an_engine({.core_pool_size = 2, .max_pool_size = 2, .queue_size = 3, .acquire_page = 10});
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        EXPECT_EQ(context.job.retries, 3);
        runs.notify();
        return Succeeded{};
    });
    engine->start();
    engine->enqueue_all(std::vector<schema::Job>(300, schema::Job{.handler_type = "test"}));
    EXPECT_TRUE(runs.wait_for(300));
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(runs.count(), 300U);
}

// I7 R099
TEST_F(EngineTest, Jobs_of_a_type_that_no_node_serves_are_left_alone) {
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", counting(runs));
    engine->start();
    const std::string foreign = engine->enqueue({.handler_type = "somebody-elses"});
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(runs.wait_for(1));
    const auto found = engine->store().find(foreign);
    EXPECT_EQ(found->place, JobPlace::executable);
    EXPECT_EQ(found->job.retries, 3);
    EXPECT_TRUE(found->job.lock_owner.empty());
}

TEST_F(EngineTest, A_job_that_no_table_can_hold_is_refused_and_nothing_is_enqueued) {
    const auto engine = an_engine();
    std::vector<schema::Job> jobs{
        {.handler_type = "test"}, {.handler_type = "test", .retry_cycle = "R3/nonsense"}};
    EXPECT_THROW(engine->enqueue_all(jobs), std::invalid_argument);
    EXPECT_EQ(count(*engine, JobPlace::executable), 0);
}

// R006
TEST_F(EngineTest, One_job_can_be_run_by_hand_without_a_running_executor) {
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", counting(runs));
    const std::string id = engine->enqueue({.handler_type = "test"});
    EXPECT_EQ(engine->run_job(id).answer, ManualRunAnswer::done);
    EXPECT_EQ(runs.count(), 1U);
    EXPECT_EQ(engine->run_job(id).answer, ManualRunAnswer::not_found);
}

TEST_F(EngineTest, A_job_run_by_hand_that_fails_waits_for_its_retry_like_any_other) {
    const auto engine = an_engine();
    engine->handlers().add("test", [](const JobContext&) -> HandlerResult {
        throw std::runtime_error("no");
    });
    const std::string id = engine->enqueue({.handler_type = "test"});
    const auto result = engine->run_job(id);
    EXPECT_EQ(result.answer, ManualRunAnswer::done);
    EXPECT_EQ(result.transition->to, JobPlace::timer);
    EXPECT_EQ(engine->store().find(id)->job.retries, 2);
}

TEST_F(EngineTest, A_job_that_a_node_is_running_cannot_be_run_by_hand) {
    const auto engine = an_engine();
    engine->handlers().add("test", holding());
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    EXPECT_EQ(engine->run_job(id).answer, ManualRunAnswer::locked);
    may_end.notify();
    EXPECT_TRUE(all_jobs_end(*engine));
}

TEST_F(EngineTest, A_drain_lets_running_jobs_finish_and_frees_the_queued_ones) {
    const auto engine = an_engine({.core_pool_size = 1, .max_pool_size = 1});
    engine->handlers().add("test", holding());
    engine->start();
    const auto ids =
        engine->enqueue_all(std::vector<schema::Job>(5, schema::Job{.handler_type = "test"}));
    ASSERT_TRUE(started.wait_for(1));

    bool is_clean = false;
    std::thread stopping([&] { is_clean = engine->stop(StopMode::drain); });
    EXPECT_TRUE(eventually([&] { return !engine->is_running(); }));
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
executor::JobHandler running_until_told_to_stop(Signal& started) {
    return [&started](const JobContext& context) -> HandlerResult {
        started.notify();
        Signal told;
        const std::stop_callback on_stop(context.stop, [&] { told.notify(); });
        EXPECT_TRUE(told.wait_for(1));
        return Interrupted{};
    };
}

TEST_F(EngineTest, Stopping_at_once_tells_running_handlers_to_stop_and_loses_nothing) {
    const auto engine = an_engine();
    engine->handlers().add("test", running_until_told_to_stop(started));
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
    const auto engine = an_engine({.shutdown_wait = 1h});
    engine->handlers().add("test", running_until_told_to_stop(started));
    engine->start();
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    bool is_clean = false;
    std::thread draining([&] { is_clean = engine->stop(StopMode::drain); });
    EXPECT_TRUE(eventually([&] { return !engine->is_running(); }));
    EXPECT_FALSE(engine->stop(StopMode::at_once));
    draining.join();
    EXPECT_TRUE(is_clean);
}

// R174
TEST_F(EngineTest, A_drain_tells_handlers_to_stop_when_the_shutdown_wait_is_over) {
    const auto engine = an_engine({.shutdown_wait = 30ms});
    engine->handlers().add("test", running_until_told_to_stop(started));
    engine->start();
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    EXPECT_TRUE(engine->stop(StopMode::drain));
}

// What runs on is never joined, so engine and gate live as long as the process.
TEST_F(EngineTest, A_forced_stop_names_the_handlers_that_it_abandons) {
    static std::latch& gate = *new std::latch(1);
    static auto& engine = *an_engine({.shutdown_wait = 0ms}).release();
    engine.handlers().add("deaf", [&](const JobContext&) -> HandlerResult {
        started.notify();
        gate.wait();
        return Succeeded{};
    });
    engine.handlers().add("test", succeed);
    engine.start();
    const std::string id = engine.enqueue({.handler_type = "deaf"});
    engine.enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    EXPECT_FALSE(engine.stop(StopMode::at_once));
    const RecordingLog::Line line = log.lines().back();
    EXPECT_EQ(line.level, schema::LogLevel::warn);
    EXPECT_EQ(line.fields, "abandoned=1 jobs=" + id + " (deaf) ");
}

TEST_F(EngineTest, Stopping_an_engine_that_was_never_started_is_clean) {
    const auto engine = an_engine();
    EXPECT_TRUE(engine->stop(StopMode::drain));
}

// R154
TEST_F(EngineTest, An_engine_that_is_stopped_hands_nothing_over) {
    const auto engine = an_engine();
    engine->handlers().add("test", counting(started));
    engine->start();
    EXPECT_TRUE(engine->stop(StopMode::drain));
    const std::string id = engine->enqueue({.handler_type = "test"});
    EXPECT_TRUE(engine->store().find(id)->job.lock_owner.empty());
    EXPECT_EQ(started.count(), 0U);
}

// R155
TEST(SqliteWakeup, A_job_that_another_process_commits_runs_without_a_poll) {
    const SqliteFile file;
    const schema::SystemClock clock;
    RecordingLog log;
    engine::Wiring engine(
        {.database_url = file.url_text(),
         .executor = {.acquire_first_wait = 1h, .acquire_wait = 1h, .timer_wait = 1h}},
        clock,
        log
    );
    Signal runs;
    engine.handlers().add("count", counting(runs));
    engine.start();
    const auto other = file.connect();
    // The first pass of the acquisition may still see the first one.
    for (const std::size_t job : {1U, 2U, 3U}) {
        other->run_script(
            "INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('" + std::to_string(job) +
            "', 'count')"
        );
        EXPECT_TRUE(runs.wait_for(job));
    }
    EXPECT_TRUE(engine.stop(executor::StopMode::drain));
}

}  // namespace

}  // namespace jobstrand::test
