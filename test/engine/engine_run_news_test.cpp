#include "test/engine/engine_fixture.hpp"

#include <gmock/gmock.h>

#include <future>

namespace jobstrand::test {
namespace {

using persistence::ToldRun;
using testing::HasSubstr;
using testing::IsEmpty;

class RunNewsOfEngine : public EngineTest {
protected:
    [[nodiscard]] static std::vector<ToldRun> told(engine::Wiring& engine) {
        return engine.run_news_store().run_news({}, 100);
    }
};

TEST_F(RunNewsOfEngine, Are_seen_while_the_run_goes_on_and_its_last_word_stays) {
    const auto engine = an_engine();
    std::promise<void> may_end;
    const auto end = may_end.get_future().share();
    engine->handlers().add("test", [end](const executor::JobContext& context) {
        context.progress(0.4, "page 4 of 10");
        context.log("reading\n");
        end.wait();
        return executor::HandlerResult{executor::Succeeded{}};
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    EXPECT_TRUE(eventually([&] { return !told(*engine).empty(); }));
    const std::vector<ToldRun> runs = told(*engine);
    const auto held = engine->store().find(id);
    may_end.set_value();
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
    executor::WorkerBroker& admin = engine->workers();
    const auto taken = admin.acquire({.worker = "w-1", .topics = {"invoice"}, .lock = 5min});
    ASSERT_EQ(taken.size(), 1U);
    const persistence::HeldJob held{.id = id, .revision = taken[0].revision};
    EXPECT_TRUE(eventually([&] {
        return admin.extend("w-1", {&held, 1}, 5min).front() != persistence::WorkerAnswer::done;
    }));
    ASSERT_TRUE(arrives(*engine, id, schema::JobPlace::dead_letter));
    EXPECT_THAT(
        engine->store().find(id)->job.exception_message,
        HasSubstr("worker w-1 did not end it within its time limit of PT0.3S")
    );
    EXPECT_TRUE(eventually([&] { return admin.counts().failed.load() == 1; }));
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

}  // namespace
}  // namespace jobstrand::test
