#include "test/engine/engine_fixture.hpp"
#include "test/fixtures/open_store.hpp"

#include <atomic>
#include <stdexcept>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using persistence::Transaction;
using schema::JobPlace;
using test::EngineTest;
using test::Signal;

/// A table for what transactional handlers write.
void create_effects(engine::Wiring& engine) {
    engine.in_transaction([](Transaction& transaction) {
        transaction.execute("CREATE TABLE effects (job TEXT)");
    });
}

std::int64_t count_effects(engine::Wiring& engine) {
    std::int64_t effects = 0;
    engine.in_transaction([&](Transaction& transaction) {
        transaction.query(
            {.sql = "SELECT COUNT(*) FROM effects", .columns = 1},
            {},
            [&](auto& row) { effects = row.integer(0); }
        );
    });
    return effects;
}

TEST_F(EngineTest, Pages_are_not_claimed_on_SQLite) {
    const auto engine = an_engine({.lock_granularity = schema::LockGranularity::page});
    EXPECT_THROW(engine->start(), std::invalid_argument);
}

// B2: the lock time may be shorter than the job.
TEST_F(EngineTest, A_job_that_runs_longer_than_its_lock_time_keeps_its_lock_and_runs_once) {
    Signal started;
    Signal may_end;
    const auto handler = [&](const JobContext&) -> HandlerResult {
        started.notify();
        EXPECT_TRUE(may_end.wait_for(1));
        return Succeeded{};
    };
    const auto one = an_engine({.lock_time = 200ms});
    const auto other = an_engine({.lock_time = 200ms});
    one->handlers().add("test", handler);
    other->handlers().add("test", handler);
    one->start();
    const std::string id = one->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    const auto first_expiry = one->store().find(id)->job.lock_expiration;
    other->start();
    EXPECT_TRUE(test::eventually([&] { return clock.now() > *first_expiry + 200ms; }));
    EXPECT_EQ(started.count(), 1U);
    EXPECT_GT(one->store().find(id)->job.lock_expiration, first_expiry);
    may_end.notify();
    EXPECT_TRUE(all_jobs_end(*one));
    EXPECT_EQ(started.count(), 1U);
}

// I3: the fence.
TEST_F(EngineTest, The_result_of_a_run_whose_lock_was_lost_is_discarded) {
    Signal started;
    Signal may_end;
    std::atomic<int> runs{0};
    const auto engine = an_engine({.core_pool_size = 1, .max_pool_size = 1});
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        if (++runs == 1) {
            started.notify();
            EXPECT_TRUE(may_end.wait_for(1));
            return Failed{.message = "the result of a zombie"};
        }
        return Succeeded{};
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    // What another node's reset would do when it believes that this node is dead.
    engine->in_transaction([&](Transaction& transaction) {
        transaction.execute(
            "UPDATE ACT_RU_JOB SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = REV_ + 1"
        );
    });
    may_end.notify();
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(runs, 2);
    EXPECT_TRUE(test::eventually([&] {
        return log.count(schema::LogLevel::info, "lock was lost") == 1;
    }));
}

// R103 R175: what a dead node held is freed and run, and no retry is used.
TEST_F(EngineTest, Jobs_of_a_node_that_died_are_freed_when_their_locks_expire) {
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        EXPECT_EQ(context.job.retries, 3);
        EXPECT_EQ(context.attempt, 1);
        runs.notify();
        return Succeeded{};
    });
    engine->enqueue({.handler_type = "test"});
    const std::vector<std::string> types{"test"};
    test::OpenStore dead_node(url());
    const auto held = dead_node->executor().acquire(
        {.owner = "dead-node", .until = clock.now() + 100ms}, types, 10
    );
    ASSERT_EQ(held.size(), 1U);
    engine->start();
    EXPECT_TRUE(runs.wait_for(1));
    EXPECT_TRUE(all_jobs_end(*engine));
}

// B10
TEST_F(EngineTest, The_writes_of_a_transactional_handler_and_the_end_of_its_job_commit_together) {
    std::atomic<int> runs{0};
    const auto engine = an_engine();
    create_effects(*engine);
    engine->handlers().add_transactional(
        "test",
        [&](const JobContext& context, Transaction& transaction) -> HandlerResult {
            transaction.execute(
                "INSERT INTO effects VALUES (?)", {std::string_view(context.job.id)}
            );
            if (++runs == 1) {
                return Failed{.message = "after its write", .retry_after = 1ms};
            }
            return Succeeded{};
        }
    );
    engine->start();
    engine->enqueue({.handler_type = "test"});
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(runs, 2);
    EXPECT_EQ(count_effects(*engine), 1);
}

TEST_F(EngineTest, A_transactional_handler_whose_lock_was_lost_leaves_no_effect) {
    std::atomic<int> runs{0};
    const auto engine = an_engine();
    create_effects(*engine);
    engine->handlers().add_transactional(
        "test",
        [&](const JobContext&, Transaction& transaction) -> HandlerResult {
            transaction.execute("INSERT INTO effects VALUES ('x')");
            if (++runs == 1) {
                // Seen from this transaction, somebody else has taken the job.
                transaction.execute("UPDATE ACT_RU_JOB SET REV_ = REV_ + 1");
            }
            return Succeeded{};
        }
    );
    engine->start();
    engine->enqueue({.handler_type = "test"});
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(count_effects(*engine), 1);
    EXPECT_EQ(runs, 2);
}

// R034 R159
TEST_F(EngineTest, A_job_of_a_suspended_instance_does_not_run_until_it_is_activated) {
    Signal runs;
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        runs.notify();
        return Succeeded{};
    });
    engine->start();
    engine->store().suspend(persistence::SuspensionScope::instance, "order-17", clock.now());
    const std::string id =
        engine->enqueue({.process_instance_id = "order-17", .handler_type = "test"});
    EXPECT_EQ(engine->store().find(id)->place, JobPlace::suspended);
    engine->enqueue({.process_instance_id = "order-18", .handler_type = "test"});
    ASSERT_TRUE(runs.wait_for(1));
    engine->store().activate(persistence::SuspensionScope::instance, "order-17", clock.now());
    EXPECT_TRUE(runs.wait_for(2));
    EXPECT_TRUE(all_jobs_end(*engine));
}

}  // namespace
}  // namespace jobstrand
