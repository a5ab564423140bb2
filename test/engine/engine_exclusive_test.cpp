#include "test/engine/engine_fixture.hpp"
#include "test/fixtures/open_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace jobstrand {

namespace {

using executor::Failed;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using persistence::Transaction;
using schema::Job;
using schema::JobPlace;
using test::EngineTest;
using test::Signal;
using namespace std::chrono_literals;

/// Sees whether two runs of one instance overlap.
class Overlaps {
public:
    HandlerResult run(const JobContext& context) {
        const std::string& instance = context.job.process_instance_id;
        {
            const std::lock_guard lock(mutex_);
            most_ = std::max(most_, ++inside_[instance]);
            order_.push_back(context.job.id);
        }
        std::this_thread::yield();
        const std::lock_guard lock(mutex_);
        --inside_[instance];
        return Succeeded{};
    }

    [[nodiscard]] int most() const {
        const std::lock_guard lock(mutex_);
        return most_;
    }
    [[nodiscard]] std::vector<std::string> order() const {
        const std::lock_guard lock(mutex_);
        return order_;
    }

private:
    mutable std::mutex mutex_;
    std::map<std::string, int> inside_;
    int most_ = 0;
    std::vector<std::string> order_;
};

class ExclusiveEngineTest : public EngineTest {
protected:
    static Job of(const std::string& instance, const std::string& id = {}) {
        Job job{.id = id};
        job.handler_type = "test";
        job.process_instance_id = instance;
        return job;
    }

    static std::vector<Job> jobs(std::size_t count, std::size_t instances) {
        std::vector<Job> all;
        for (std::size_t i = 0; i < count; ++i) {
            all.push_back(of(fmt::format("i{}", i % instances), fmt::format("j{:05}", i)));
        }
        return all;
    }
};

// R082 R086 R087
TEST_F(ExclusiveEngineTest, Jobs_of_an_instance_run_one_after_the_other_in_their_order) {
    Overlaps overlaps;
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext& job) { return overlaps.run(job); });
    engine->enqueue_all(jobs(250, 1));
    engine->start();
    ASSERT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(overlaps.most(), 1);
    EXPECT_EQ(overlaps.order().size(), 250U);
    const std::vector<std::string> order = overlaps.order();
    EXPECT_TRUE(std::ranges::is_sorted(order));
}

// R086 R091
TEST_F(ExclusiveEngineTest, Nodes_share_instances_and_none_overlaps) {
    Overlaps overlaps;
    std::vector<std::unique_ptr<engine::Wiring>> nodes;
    for (int i = 0; i < 4; ++i) {
        nodes.push_back(an_engine({.acquire_page = 50}));
        nodes.back()->handlers().add("test", [&](const JobContext& job) {
            return overlaps.run(job);
        });
    }
    nodes.front()->enqueue_all(jobs(2000, 20));
    for (const auto& node : nodes) {
        node->start();
    }
    ASSERT_TRUE(all_jobs_end(*nodes.front()));
    EXPECT_EQ(overlaps.most(), 1);
    EXPECT_EQ(overlaps.order().size(), 2000U);
}

// R091: a long job of an instance holds up its siblings, and nobody else.
TEST_F(ExclusiveEngineTest, Others_run_while_an_instance_waits) {
    Signal others;
    const auto engine = an_engine({.core_pool_size = 2, .max_pool_size = 2});
    engine->handlers().add("test", holding());
    engine->handlers().add("other", test::counting(others));
    engine->start();
    engine->enqueue_all(jobs(300, 1));
    ASSERT_TRUE(started.wait_for(1));
    Job free = of("i0");
    free.handler_type = "other";
    free.exclusive = false;
    engine->enqueue(free);
    Job elsewhere = of("k");
    elsewhere.handler_type = "other";
    engine->enqueue(elsewhere);
    EXPECT_TRUE(others.wait_for(2));
    EXPECT_EQ(started.count(), 1U);
    may_end.notify();
    EXPECT_TRUE(all_jobs_end(*engine));
}

TEST_F(ExclusiveEngineTest, The_next_one_starts_when_the_former_has_ended_without_a_poll) {
    const auto handler = [&](const JobContext&) -> HandlerResult {
        started.notify();
        EXPECT_TRUE(may_end.wait_for(started.count()));
        return Succeeded{};
    };
    const auto holder = an_engine();
    const auto other = an_engine();
    holder->handlers().add("test", handler);
    other->handlers().add("test", handler);
    holder->start();
    holder->enqueue(of("i", "first"));
    ASSERT_TRUE(started.wait_for(1));
    other->start();
    other->enqueue(of("i", "second"));
    EXPECT_TRUE(test::eventually([&] {
        return !holder->store().find("second")->job.lock_owner.empty();
    }));
    EXPECT_EQ(started.count(), 1U);
    may_end.notify();
    EXPECT_TRUE(started.wait_for(2));
    may_end.notify();
    EXPECT_TRUE(all_jobs_end(*holder));
}

TEST_F(ExclusiveEngineTest, A_failed_one_lets_the_next_one_run) {
    std::mutex mutex;
    std::vector<std::string> order;
    const auto engine = an_engine();
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        const std::lock_guard lock(mutex);
        order.push_back(context.job.id);
        return context.job.id == "j00000" && context.attempt == 1
                   ? HandlerResult(Failed{.message = "no", .retry_after = 10ms})
                   : HandlerResult(Succeeded{});
    });
    engine->enqueue_all(jobs(3, 1));
    engine->start();
    ASSERT_TRUE(all_jobs_end(*engine));
    const std::lock_guard lock(mutex);
    EXPECT_EQ(order.size(), 4U);
    EXPECT_EQ(std::ranges::count(order, "j00000"), 2);
}

TEST_F(ExclusiveEngineTest, A_stopped_node_leaves_its_instances_to_the_others) {
    std::atomic<int> ran_elsewhere{0};
    auto holder = an_engine();
    holder->handlers().add("test", holding());
    const auto other = an_engine();
    other->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        ++ran_elsewhere;
        return Succeeded{};
    });
    holder->enqueue_all(jobs(250, 1));
    holder->start();
    ASSERT_TRUE(started.wait_for(1));
    other->start();
    may_end.notify();
    EXPECT_TRUE(holder->stop(executor::StopMode::drain));
    EXPECT_TRUE(all_jobs_end(*other));
    EXPECT_GT(ran_elsewhere, 0);
}

// R093
TEST_F(ExclusiveEngineTest, Jobs_of_a_hierarchy_run_one_after_the_other_if_so_configured) {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    const auto engine = an_engine({.exclusive_over_hierarchies = true});
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        most = std::max(most.load(), ++inside);
        std::this_thread::yield();
        --inside;
        return Succeeded{};
    });
    std::vector<Job> all = jobs(60, 6);
    for (Job& job : all) {
        job.root_process_instance_id = "root";
    }
    engine->enqueue_all(all);
    engine->start();
    ASSERT_TRUE(all_jobs_end(*engine));
    EXPECT_EQ(most, 1);
}

// R006
TEST_F(ExclusiveEngineTest, A_run_by_hand_overlaps_with_nobody_and_leaves_nothing_behind) {
    const auto engine = an_engine();
    const auto other = an_engine();
    engine->handlers().add("test", holding());
    other->handlers().add("test", test::succeed);
    engine->start();
    engine->enqueue_all(jobs(2, 1));
    ASSERT_TRUE(started.wait_for(1));
    EXPECT_EQ(other->run_job("j00001").answer, executor::ManualRunAnswer::locked);
    may_end.notify();
    EXPECT_TRUE(all_jobs_end(*engine));
    // Nobody else serves these, and the end of the first run frees what waits for it.
    EXPECT_TRUE(engine->stop(executor::StopMode::drain));
    for (const std::string id : {"a", "b"}) {
        other->enqueue(of("k", id));
        EXPECT_EQ(other->run_job(id).answer, executor::ManualRunAnswer::done);
    }
}

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
    const auto one = an_engine({.lock_time = 200ms});
    const auto other = an_engine({.lock_time = 200ms});
    one->handlers().add("test", holding());
    other->handlers().add("test", holding());
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
    const auto engine = an_engine();
    engine->handlers().add("test", test::counting(started));
    engine->start();
    engine->store().suspend(persistence::SuspensionScope::instance, "order-17", clock.now());
    const std::string id =
        engine->enqueue({.process_instance_id = "order-17", .handler_type = "test"});
    EXPECT_EQ(engine->store().find(id)->place, JobPlace::suspended);
    engine->enqueue({.process_instance_id = "order-18", .handler_type = "test"});
    ASSERT_TRUE(started.wait_for(1));
    engine->store().activate(persistence::SuspensionScope::instance, "order-17", clock.now());
    EXPECT_TRUE(started.wait_for(2));
    EXPECT_TRUE(all_jobs_end(*engine));
}

}  // namespace

}  // namespace jobstrand
