#include "test/engine/engine_fixture.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <future>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using executor::AsyncRun;
using executor::Failed;
using executor::Interrupted;
using executor::StopMode;
using executor::Succeeded;
using executor::ToldAnswer;
using persistence::ToldRun;
using schema::JobPlace;
using schema::TransitionReason;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

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
    EXPECT_TRUE(eventually([&] { return count(*engine, JobPlace::timer) == 2; }));
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
    EXPECT_TRUE(eventually([&] { return count(*engine, JobPlace::timer) == 2; }));
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
    EXPECT_TRUE(eventually([&] { return !engine->is_running(); }));
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

/// Jobs of the type `test` are under way until their stop signal comes.
class ToldOutcomeTest : public EngineTest {
protected:
    [[nodiscard]] std::unique_ptr<engine::Wiring> a_running_engine() {
        auto engine = an_engine();
        engine->handlers().add_async("test", [this](std::shared_ptr<AsyncRun> run) {
            const std::lock_guard lock(mutex_);
            runs_.push_back(std::make_unique<Run>(std::move(run)));
            begun.notify();
        });
        engine->start();
        return engine;
    }

    /// The id and the fencing token of a job that has begun.
    [[nodiscard]] std::pair<std::string, std::int64_t>
    begin(engine::Wiring& engine, schema::Job job = {}) {
        job.handler_type = "test";
        const std::size_t count = begun.count();
        std::string id = engine.enqueue(std::move(job));
        EXPECT_TRUE(begun.wait_for(count + 1));
        return {id, token_of_last()};
    }

    [[nodiscard]] std::int64_t token_of_last() {
        const std::lock_guard lock(mutex_);
        return runs_.back()->run->context().fencing_token;
    }

    [[nodiscard]] static bool runs_nothing(engine::Wiring& engine) {
        return eventually([&] { return engine.load().held == 0; });
    }

    [[nodiscard]] static std::uint64_t written(engine::Wiring& engine, TransitionReason reason) {
        return engine.outcome_counts().count({reason});
    }

    Signal begun;

private:
    struct Run {
        explicit Run(std::shared_ptr<AsyncRun> the_run)
            : run(std::move(the_run)),
              on_stop(run->context().stop, [this] { run->end(Interrupted{}); }) {}

        const std::shared_ptr<AsyncRun> run;
        std::stop_callback<std::function<void()>> on_stop;
    };

    std::mutex mutex_;
    std::vector<std::unique_ptr<Run>> runs_;  ///< Guarded by mutex_.
};

TEST_F(ToldOutcomeTest, Who_knows_the_token_ends_the_run) {
    const auto engine = a_running_engine();
    const auto [id, token] = begin(*engine);
    EXPECT_EQ(engine->outcomes().tell(id, token, Succeeded{}), ToldAnswer::taken);
    EXPECT_FALSE(engine->store().find(id)) << "it is written when the answer is given";
    EXPECT_TRUE(runs_nothing(*engine));
    EXPECT_TRUE(eventually([&] { return written(*engine, TransitionReason::completed) == 1; }));
    EXPECT_EQ(engine->outcome_counts().lost(), 0U);
    EXPECT_EQ(engine->outcomes().tell(id, token, Succeeded{}), ToldAnswer::not_found);
}

TEST_F(ToldOutcomeTest, A_failure_follows_the_rules_of_the_job) {
    const auto engine = a_running_engine();
    const auto [id, token] = begin(*engine);
    const Failed failed{.message = "no paper", .details = "tray 2", .retry_after = 1h};
    EXPECT_EQ(engine->outcomes().tell(id, token, failed), ToldAnswer::taken);
    const auto found = engine->store().find(id);
    EXPECT_EQ(found->place, JobPlace::timer);
    EXPECT_EQ(found->job.retries, 2);
    EXPECT_EQ(found->job.exception_message, "no paper");
    EXPECT_EQ(engine->outcomes().tell(id, token, failed), ToldAnswer::not_running);
    EXPECT_TRUE(runs_nothing(*engine));
}

TEST_F(ToldOutcomeTest, What_is_tried_again_soon_wakes_the_timers) {
    const auto engine = a_running_engine();
    const auto [id, token] = begin(*engine);
    EXPECT_EQ(
        engine->outcomes().tell(id, token, Failed{.message = "x", .retry_after = 1ms}),
        ToldAnswer::taken
    );
    ASSERT_TRUE(begun.wait_for(2));
    EXPECT_EQ(engine->outcomes().tell(id, token, Succeeded{}), ToldAnswer::stale_token);
    EXPECT_TRUE(engine->store().find(id)) << "the second run is not touched";
    EXPECT_EQ(engine->outcomes().tell(id, token_of_last(), Succeeded{}), ToldAnswer::taken);
    EXPECT_TRUE(all_jobs_end(*engine));
}

TEST_F(ToldOutcomeTest, A_job_that_nobody_runs_has_no_outcome) {
    const auto engine = an_engine();
    const std::string id = engine->enqueue({.handler_type = "test"});
    const int revision = engine->store().find(id)->job.revision;
    EXPECT_EQ(engine->outcomes().tell(id, revision, Succeeded{}), ToldAnswer::not_running);
    EXPECT_EQ(engine->outcomes().tell("nobody", 1, Succeeded{}), ToldAnswer::not_found);
    EXPECT_EQ(count(*engine, JobPlace::executable), 1);
}

TEST_F(ToldOutcomeTest, Any_node_may_be_told) {
    const auto engine = a_running_engine();
    const auto other = an_engine();
    const auto [id, token] = begin(*engine);
    EXPECT_EQ(other->outcomes().tell(id, token, Succeeded{}), ToldAnswer::taken);
    EXPECT_EQ(count(*engine, JobPlace::executable), 0);
    EXPECT_TRUE(runs_nothing(*engine)) << "the node that runs it finds its lock lost";
    EXPECT_EQ(engine->store().count(JobPlace::timer, {}), 0);
}

TEST_F(ToldOutcomeTest, The_next_exclusive_job_of_the_instance_runs) {
    const auto engine = a_running_engine();
    schema::Job exclusive{.handler_type = "test"};
    exclusive.process_instance_id = "order-1";
    exclusive.exclusive = true;
    const auto [id, token] = begin(*engine, exclusive);
    (void)engine->enqueue(exclusive);
    EXPECT_EQ(engine->outcomes().tell(id, token, Succeeded{}), ToldAnswer::taken);
    EXPECT_TRUE(begun.wait_for(2));
    EXPECT_TRUE(engine->stop(StopMode::at_once));
}

TEST_F(ToldOutcomeTest, A_run_that_an_operator_has_cancelled_has_no_outcome_any_more) {
    const auto engine = a_running_engine();
    const auto [id, token] = begin(*engine);
    (void)engine->store().cancel(
        JobPlace::executable, std::vector<std::string>{id}, "wrong order", engine->clock().now()
    );
    EXPECT_EQ(engine->outcomes().tell(id, token, Succeeded{}), ToldAnswer::not_running);
    EXPECT_EQ(count(*engine, JobPlace::dead_letter), 1);
    EXPECT_TRUE(runs_nothing(*engine));
}

class RunNewsOfEngine : public EngineTest {
protected:
    [[nodiscard]] static std::vector<ToldRun> told(engine::Wiring& engine) {
        return engine.run_news_store().run_news({}, 100);
    }
};

TEST_F(RunNewsOfEngine, Are_seen_while_the_run_goes_on_and_its_last_word_stays) {
    const auto engine = an_engine();
    engine->handlers().add("test", [this](const executor::JobContext& context) {
        context.progress(0.4, "page 4 of 10");
        context.log("reading\n");
        EXPECT_TRUE(may_end.wait_for(1));
        return executor::HandlerResult{executor::Succeeded{}};
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    // What a run tells is stored as it comes: its progress may stand there before its first line
    // does.
    std::vector<ToldRun> runs;
    EXPECT_TRUE(eventually([&] {
        runs = told(*engine);
        return !runs.empty() && !runs[0].news.lines.empty();
    }));
    const auto held = engine->store().find(id);
    may_end.notify();
    ASSERT_EQ(runs.size(), 1U);
    EXPECT_EQ(runs[0].job, id);
    EXPECT_EQ(runs[0].news.progress, 0.4);
    EXPECT_EQ(runs[0].news.note, "page 4 of 10");
    EXPECT_EQ(runs[0].news.lines, "reading\n");
    ASSERT_TRUE(held);
    EXPECT_EQ(runs[0].owner, held->job.lock_owner);
    EXPECT_EQ(runs[0].revision, held->job.revision);
    EXPECT_TRUE(eventually([&] { return told(*engine).empty(); }));
    EXPECT_TRUE(eventually([&] { return !engine->run_store().ended_runs({}, {}, 9).empty(); }));
    EXPECT_EQ(engine->run_store().ended_runs({}, {}, 9).at(0).message, "page 4 of 10");
}

TEST_F(RunNewsOfEngine, Stand_with_the_failure_of_the_run) {
    const auto engine = an_engine();
    engine->handlers().add("test", [](const executor::JobContext& context) {
        context.log("reading\n");
        return executor::HandlerResult{executor::Failed{.message = "no ink", .retryable = false}};
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(arrives(*engine, id, schema::JobPlace::dead_letter));
    EXPECT_EQ(engine->store().exception_details(engine->store().find(id)->job), "reading\n");
    ASSERT_TRUE(engine->stop(executor::StopMode::drain));
    EXPECT_THAT(told(*engine), IsEmpty());
}

TEST_F(RunNewsOfEngine, Of_an_asynchronous_run_come_from_any_thread) {
    const auto engine = an_engine();
    std::promise<std::shared_ptr<executor::AsyncRun>> begun;
    engine->handlers().add_async("test", [&](std::shared_ptr<executor::AsyncRun> run) {
        begun.set_value(std::move(run));
    });
    engine->start();
    (void)engine->enqueue({.handler_type = "test"});
    auto run = begun.get_future().get();
    run->context().progress(0.9);
    EXPECT_TRUE(eventually([&] { return !told(*engine).empty(); }));
    run->end(executor::Succeeded{});
    EXPECT_TRUE(eventually([&] { return told(*engine).empty(); }));
    run->context().progress(1);
    run.reset();
    ASSERT_TRUE(engine->stop(executor::StopMode::drain));
    EXPECT_THAT(told(*engine), IsEmpty());
}

TEST_F(RunNewsOfEngine, Of_a_run_that_somebody_keeps_longer_than_the_engine_are_not_heard) {
    std::promise<std::shared_ptr<executor::AsyncRun>> begun;
    std::shared_ptr<executor::AsyncRun> run;
    {
        const auto engine = an_engine();
        engine->handlers().add_async("test", [&](std::shared_ptr<executor::AsyncRun> it) {
            begun.set_value(std::move(it));
        });
        engine->start();
        (void)engine->enqueue({.handler_type = "test"});
        run = begun.get_future().get();
        run->end(executor::Succeeded{});
        ASSERT_TRUE(engine->stop(executor::StopMode::drain));
    }
    run->context().progress(1);
    run->context().log("late\n");
}

TEST_F(RunNewsOfEngine, An_external_job_that_hangs_is_given_up_at_its_time_limit) {
    using namespace std::chrono_literals;
    const auto engine = an_engine({.external_time_limits = {"in*=PT0.3S"}});
    engine->start();
    schema::Job job{.type = std::string(schema::kExternalWorkerType), .handler_type = "invoice"};
    job.retries = 1;
    const std::string id = engine->enqueue(job);
    executor::WorkerBroker& broker = engine->workers();
    const auto taken = broker.acquire({.worker = "w-1", .topics = {"invoice"}, .lock = 5min});
    ASSERT_EQ(taken.size(), 1U);
    const persistence::HeldJob held{.id = id, .revision = taken[0].revision};
    EXPECT_TRUE(eventually([&] {
        return broker.extend("w-1", {&held, 1}, 5min).front() != persistence::WorkerAnswer::done;
    }));
    ASSERT_TRUE(arrives(*engine, id, schema::JobPlace::dead_letter));
    EXPECT_THAT(
        engine->store().find(id)->job.exception_message,
        HasSubstr("worker w-1 did not end it within its time limit of PT0.3S")
    );
    EXPECT_TRUE(eventually([&] { return broker.counts().failed.load() == 1; }));
}

TEST_F(
    RunNewsOfEngine,
    An_external_job_that_was_taken_through_a_node_that_is_gone_is_given_up_too
) {
    using namespace std::chrono_literals;
    schema::Job job{.type = std::string(schema::kExternalWorkerType), .handler_type = "invoice"};
    job.retries = 1;
    std::string id;
    {
        const auto before = an_engine();
        id = before->enqueue(job);
        ASSERT_EQ(
            before->workers().acquire({.worker = "w", .topics = {"invoice"}, .lock = 5min}).size(),
            1U
        );
    }
    const auto engine = an_engine({.external_time_limits = {"invoice=PT0.2S"}});
    engine->start();
    EXPECT_TRUE(arrives(*engine, id, schema::JobPlace::dead_letter));
}

class LastRunsOfEngine : public EngineTest {
protected:
    [[nodiscard]] static std::vector<FinishedRun> runs(engine::Wiring& engine) {
        return engine.run_store().ended_runs({}, {}, 100);
    }
};

TEST_F(LastRunsOfEngine, Are_seen_soon_and_the_job_is_gone) {
    const auto engine = an_engine();
    engine->handlers().add("test", succeed);
    engine->start();
    schema::Job job{.handler_type = "test"};
    job.tenant_id = "tenant";
    const std::string id = engine->enqueue(job);
    ASSERT_TRUE(eventually([&] { return !runs(*engine).empty(); }));
    const auto ended = runs(*engine);
    ASSERT_THAT(ended, SizeIs(1));
    EXPECT_EQ(ended[0].job, id);
    EXPECT_EQ(ended[0].handler_type, "test");
    EXPECT_EQ(ended[0].tenant_id, "tenant");
    EXPECT_EQ(ended[0].node, engine->node_store().nodes().at(0).identity.node);
    EXPECT_TRUE(ended[0].waited && ended[0].duration);
    EXPECT_FALSE(engine->store().find(id));
}

TEST_F(LastRunsOfEngine, Are_all_written_at_an_orderly_stop_those_of_transactions_too) {
    const auto engine = an_engine();
    engine->handlers().add("test", succeed);
    engine->handlers().add_transactional(
        "transactional",
        [](const executor::JobContext&, persistence::Transaction&) -> executor::HandlerResult {
            return executor::Succeeded{};
        }
    );
    engine->start();
    for (int i = 0; i < 10; ++i) {
        engine->enqueue({.handler_type = "test"});
        engine->enqueue({.handler_type = "transactional"});
    }
    ASSERT_TRUE(all_jobs_end(*engine));
    ASSERT_TRUE(engine->stop(executor::StopMode::drain));
    EXPECT_THAT(runs(*engine), SizeIs(20));
}

TEST_F(LastRunsOfEngine, Are_not_told_by_a_node_that_keeps_none) {
    const auto engine = an_engine({.history_retention = {.runs = 0}});
    engine->handlers().add("test", succeed);
    engine->start();
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(all_jobs_end(*engine));
    ASSERT_TRUE(engine->stop(executor::StopMode::drain));
    EXPECT_THAT(runs(*engine), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
