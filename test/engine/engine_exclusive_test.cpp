#include "test/engine/engine_fixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using schema::Job;
using schema::JobPlace;
using test::EngineTest;
using test::Signal;

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
    Signal started;
    Signal may_end;
    Signal others;
    const auto engine = an_engine({.core_pool_size = 2, .max_pool_size = 2});
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        started.notify();
        EXPECT_TRUE(may_end.wait_for(1));
        return Succeeded{};
    });
    engine->handlers().add("other", [&](const JobContext&) -> HandlerResult {
        others.notify();
        return Succeeded{};
    });
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
    Signal started;
    Signal may_end;
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
    Signal started;
    Signal may_end;
    std::atomic<int> ran_elsewhere{0};
    auto holder = an_engine();
    holder->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        started.notify();
        EXPECT_TRUE(may_end.wait_for(1));
        return Succeeded{};
    });
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
    Signal started;
    Signal may_end;
    const auto engine = an_engine();
    const auto other = an_engine();
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        started.notify();
        EXPECT_TRUE(may_end.wait_for(1));
        return Succeeded{};
    });
    other->handlers().add("test", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
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

}  // namespace
}  // namespace jobstrand
