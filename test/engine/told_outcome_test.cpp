#include "test/engine/engine_fixture.hpp"

#include <functional>
#include <mutex>
#include <stop_token>
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
using executor::ToldAnswer;
using schema::JobPlace;
using schema::TransitionReason;
using test::EngineTest;
using test::Signal;

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
        return test::eventually([&] { return engine.load().held == 0; });
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
    EXPECT_TRUE(test::eventually([&] { return written(*engine, TransitionReason::completed) == 1; })
    );
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

}  // namespace
}  // namespace jobstrand
