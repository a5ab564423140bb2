#include "test/engine/engine_fixture.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class LastRunsOfEngine : public EngineTest {
protected:
    [[nodiscard]] static std::vector<FinishedRun> runs(engine::Wiring& engine) {
        return engine.run_store().ended_runs({}, {}, 100);
    }
};

TEST_F(LastRunsOfEngine, Are_seen_soon_and_the_job_is_gone) {
    const auto engine = an_engine();
    engine->handlers().add("test", [](const executor::JobContext&) -> executor::HandlerResult {
        return executor::Succeeded{};
    });
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
    engine->handlers().add("test", [](const executor::JobContext&) -> executor::HandlerResult {
        return executor::Succeeded{};
    });
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
    engine->handlers().add("test", [](const executor::JobContext&) -> executor::HandlerResult {
        return executor::Succeeded{};
    });
    engine->start();
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(all_jobs_end(*engine));
    ASSERT_TRUE(engine->stop(executor::StopMode::drain));
    EXPECT_THAT(runs(*engine), IsEmpty());
}

}  // namespace
}  // namespace jobstrand::test
