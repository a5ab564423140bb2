#include "executor/pool/worker_pool.hpp"

#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/signal.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using test::a_job;
using test::Signal;

std::vector<HeldJobPtr> held(std::initializer_list<const char*> ids) {
    std::vector<HeldJobPtr> jobs;
    for (const char* id : ids) {
        jobs.push_back(std::make_shared<HeldJob>(a_job(id), schema::SteadyPoint::max()));
    }
    return jobs;
}

std::vector<std::string> ids_of(const std::vector<HeldJobPtr>& jobs) {
    std::vector<std::string> ids;
    for (const HeldJobPtr& job : jobs) {
        ids.push_back(job->job.id);
    }
    return ids;
}

/// A pool whose jobs run until the test opens the gate.
class GatedPool {
public:
    explicit GatedPool(WorkerPool::Size size)
        : pool(
              size,
              [this](const HeldJobPtr& job) {
                  {
                      const std::lock_guard lock(mutex_);
                      started_ids.push_back(job->job.id);
                  }
                  started.notify();
                  gate_.wait();
                  return 1;
              },
              wake_ups_
          ) {
        wake_ups_.sleepers.acquisition = [this] { room.notify(); };
    }

    ~GatedPool() {
        open();
        (void)pool.close();
        pool.stop();
    }

    void open() {
        if (!opened_.exchange(true)) {
            gate_.count_down();
        }
    }

    Signal started;
    Signal room;
    std::vector<std::string> started_ids;

private:
    WakeUps wake_ups_;

public:
    WorkerPool pool;

private:
    std::mutex mutex_;
    std::latch gate_{1};
    std::atomic<bool> opened_{false};
};

// R059 R156
TEST(WorkerPool, A_full_queue_rejects_the_jobs_that_find_no_place) {
    GatedPool gated({.core = 1, .max = 1, .queue = 2});
    EXPECT_TRUE(gated.pool.submit(held({"a"})).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_EQ(ids_of(gated.pool.submit(held({"b", "c", "d"}))), std::vector<std::string>{"d"});
    EXPECT_EQ(gated.pool.room(), 0U);
    EXPECT_EQ(gated.pool.load().queued, 2U);
    EXPECT_EQ(gated.pool.load().running, 1U);
}

// R163 R164
TEST(WorkerPool, Threads_above_core_start_only_when_the_queue_is_full) {
    GatedPool gated({.core = 1, .max = 2, .queue = 2});
    EXPECT_TRUE(gated.pool.submit(held({"a", "b", "c"})).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_EQ(gated.pool.load().threads, 1U);
    EXPECT_TRUE(gated.pool.submit(held({"d"})).empty());
    ASSERT_TRUE(gated.started.wait_for(2));
    EXPECT_EQ(gated.pool.load().threads, 2U);
}

// R165
TEST(WorkerPool, A_thread_above_core_ends_when_it_has_been_idle_for_the_keep_alive) {
    GatedPool gated({.core = 1, .max = 2, .queue = 1, .keep_alive = 1ms});
    EXPECT_TRUE(gated.pool.submit(held({"a", "b", "c"})).empty());
    ASSERT_TRUE(gated.started.wait_for(2));
    EXPECT_EQ(gated.pool.load().threads, 2U);
    gated.open();
    EXPECT_TRUE(test::eventually([&] { return gated.pool.load().threads == 1; }));
    EXPECT_TRUE(gated.pool.submit(held({"d"})).empty());
    EXPECT_TRUE(gated.started.wait_for(4));
}

TEST(WorkerPool, Jobs_start_in_the_order_in_which_they_were_submitted) {
    GatedPool gated({.core = 1, .max = 1, .queue = 10});
    gated.open();
    EXPECT_TRUE(gated.pool.submit(held({"a", "b", "c"})).empty());
    ASSERT_TRUE(gated.started.wait_for(3));
    (void)gated.pool.close();
    ASSERT_TRUE(gated.pool.wait_until_done(test::kPatience));
    EXPECT_EQ(gated.started_ids, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(WorkerPool, Closing_returns_what_has_not_started_and_lets_the_rest_run) {
    GatedPool gated({.core = 1, .max = 1, .queue = 5});
    EXPECT_TRUE(gated.pool.submit(held({"a", "b", "c"})).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_EQ(ids_of(gated.pool.close()), (std::vector<std::string>{"b", "c"}));
    EXPECT_TRUE(gated.pool.close().empty());
    EXPECT_EQ(ids_of(gated.pool.submit(held({"d"}))), std::vector<std::string>{"d"});
    EXPECT_FALSE(gated.pool.wait_until_done(1ms));
    gated.open();
    EXPECT_TRUE(gated.pool.wait_until_done(test::kPatience));
}

TEST(WorkerPool, Before_any_run_has_ended_there_is_room_for_idle_threads_only) {
    GatedPool gated({.core = 2, .max = 2, .queue = 100});
    EXPECT_EQ(gated.pool.room(), 2U);
    EXPECT_EQ(gated.pool.room_to_claim(1000), 2U);
    EXPECT_TRUE(gated.pool.submit(held({"a"})).empty());
    EXPECT_EQ(gated.pool.room(), 1U);
    EXPECT_TRUE(gated.pool.submit(held({"b", "c"})).empty()) << "the bound of the queue holds";
    EXPECT_EQ(gated.pool.room(), 0U);
}

TEST(WorkerPool, After_short_runs_there_is_room_for_a_whole_queue) {
    GatedPool gated({.core = 1, .max = 1, .queue = 100, .ahead = 1h});
    gated.open();
    EXPECT_TRUE(gated.pool.submit(held({"a"})).empty());
    EXPECT_TRUE(test::eventually([&] { return gated.pool.room() == 101; }));
    EXPECT_EQ(gated.pool.room_to_claim(1000), 101U);
}

TEST(WorkerPool, Jobs_that_wait_behind_others_take_room_while_there_is_enough_to_start) {
    std::latch gate(1);
    const WakeUps wake_ups;
    WorkerPool pool(
        {.core = 1, .max = 1, .queue = 100, .ahead = 1h, .behind = [] { return 30; }},
        [&](const HeldJobPtr& job) {
            if (job->job.id == "long") {
                gate.wait();
            }
            return 1;
        },
        wake_ups
    );
    EXPECT_TRUE(pool.submit(held({"short"})).empty());
    EXPECT_TRUE(test::eventually([&] { return pool.room() == 101; })) << "nothing else may start";
    EXPECT_TRUE(pool.submit(held({"long", "a"})).empty());
    EXPECT_EQ(pool.room(), 101U - 2U - 30U);
    gate.count_down();
    (void)pool.close();
    pool.stop();
}

TEST(WorkerPool, Without_a_look_ahead_there_is_never_more_room_than_idle_threads) {
    GatedPool gated({.core = 1, .max = 1, .queue = 100, .ahead = 0ms});
    gated.open();
    EXPECT_TRUE(gated.pool.submit(held({"a"})).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_TRUE(test::eventually([&] { return gated.pool.load().running == 0; }));
    EXPECT_EQ(gated.pool.room(), 1U);
}

TEST(WorkerPool, Room_is_told_to_who_has_found_none_when_a_thread_is_idle) {
    GatedPool gated({.core = 1, .max = 1, .queue = 4});
    EXPECT_TRUE(gated.pool.submit(held({"a"})).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_EQ(gated.pool.room_to_claim(1000), 0U);
    EXPECT_EQ(gated.room.count(), 0U);
    gated.open();
    EXPECT_TRUE(gated.room.wait_for(1));
}

// Acquisition and the timer mover both ask.
TEST(WorkerPool, Room_is_told_when_it_is_enough_for_the_smallest_page_that_somebody_waits_for) {
    std::latch first(1);
    std::latch second(1);
    Signal room;
    WakeUps wake_ups;
    wake_ups.sleepers.acquisition = [&room] { room.notify(); };
    WorkerPool pool(
        {.core = 1, .max = 1, .queue = 10, .ahead = 1h},
        [&](const HeldJobPtr& job) {
            if (job->job.id == "first") {
                first.wait();
            } else if (job->job.id == "second") {
                second.wait();
            }
            return 1;
        },
        wake_ups
    );
    EXPECT_TRUE(pool.submit(held({"short"})).empty());
    ASSERT_TRUE(test::eventually([&] { return pool.room() == 11; }));
    const char* const a = "a";
    EXPECT_TRUE(pool.submit(held({"first", a, "second", a, a, a, a, a, a, a})).empty());
    EXPECT_EQ(pool.room_to_claim(100), 0U) << "one of eleven";
    EXPECT_EQ(pool.room_to_claim(2), 0U);
    EXPECT_EQ(pool.room_to_claim(100), 0U);
    first.count_down();
    EXPECT_TRUE(room.wait_for(1));
    ASSERT_TRUE(test::eventually([&] { return pool.load().queued == 7; })) << "the second runs";
    EXPECT_EQ(pool.room_to_claim(100), 0U) << "three of eleven";
    EXPECT_EQ(pool.room_to_claim(2), 3U);
    second.count_down();
    EXPECT_TRUE(room.wait_for(2)) << "who has found some says nothing about who has not";
    (void)pool.close();
    pool.stop();
}

TEST(WorkerPool, Room_is_not_told_to_who_has_not_asked) {
    GatedPool gated({.core = 1, .max = 1, .queue = 4});
    gated.open();
    EXPECT_TRUE(gated.pool.submit(held({"a", "b"})).empty());
    ASSERT_TRUE(gated.started.wait_for(2));
    EXPECT_TRUE(test::eventually([&] { return gated.pool.load().running == 0; }));
    EXPECT_EQ(gated.room.count(), 0U);
}

TEST(WorkerPool, What_waits_behind_runs_that_do_not_end_is_given_back) {
    GatedPool gated({.core = 1, .max = 1, .queue = 4, .ahead = 1min});
    const schema::SteadyPoint before = std::chrono::steady_clock::now();
    EXPECT_TRUE(gated.pool.submit(held({"a", "b", "c"})).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_TRUE(gated.pool.take_surplus(before).empty()) << "the run may still end";
    EXPECT_EQ(ids_of(gated.pool.take_surplus(before + 1h)), (std::vector<std::string>{"c", "b"}));
    EXPECT_TRUE(gated.pool.take_surplus(before + 2h).empty());
}

TEST(WorkerPool, What_starts_alone_is_not_given_back) {
    GatedPool gated({.core = 2, .max = 2, .queue = 4, .ahead = 1ms, .order = {.alone_from = 2}});
    std::vector<HeldJobPtr> jobs;
    for (const char* const id : {"a", "b"}) {
        schema::Job job = a_job(id);
        job.lost_starts = 2;
        jobs.push_back(std::make_shared<HeldJob>(std::move(job), schema::SteadyPoint::max()));
    }
    EXPECT_TRUE(gated.pool.submit(std::move(jobs)).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_TRUE(gated.pool.take_surplus(schema::SteadyPoint::max()).empty());
    EXPECT_EQ(gated.pool.load().queued, 1U);
    gated.open();
    EXPECT_TRUE(gated.started.wait_for(2)) << "it starts when the other one has ended";
}

// R014
TEST(WorkerPool, By_priority_an_important_job_starts_before_those_that_wait_already) {
    GatedPool gated({.core = 1, .max = 1, .queue = 10, .order = {.order = {.by_priority = true}}});
    EXPECT_TRUE(gated.pool.submit(held({"first", "low"})).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_TRUE(gated.pool
                    .submit({std::make_shared<HeldJob>(
                        a_job("high").with_priority(100), schema::SteadyPoint::max()
                    )})
                    .empty());
    gated.open();
    ASSERT_TRUE(gated.started.wait_for(3));
    (void)gated.pool.close();
    ASSERT_TRUE(gated.pool.wait_until_done(test::kPatience));
    EXPECT_EQ(gated.started_ids, (std::vector<std::string>{"first", "high", "low"}));
}

}  // namespace
}  // namespace jobstrand::executor
