#include "executor/pool/worker_pool.hpp"

#include "executor/async_runs.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/signal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::executor {

namespace {

using test::a_job;
using test::Signal;
using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

HeldJobPtr waiting(const std::string& id, std::int64_t priority = 0) {
    return std::make_shared<HeldJob>(a_job(id).with_priority(priority), schema::SteadyPoint::max());
}

/// A job whose starts have been lost so often.
HeldJobPtr suspect(const std::string& id, int lost_starts) {
    schema::Job job = a_job(id);
    job.lost_starts = lost_starts;
    return std::make_shared<HeldJob>(std::move(job), schema::SteadyPoint::max());
}

std::vector<HeldJobPtr> held(std::initializer_list<const char*> ids) {
    std::vector<HeldJobPtr> jobs;
    for (const char* id : ids) {
        jobs.push_back(waiting(id));
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

    /// These are taken, and so many have started in all.
    [[nodiscard]] bool starts(std::initializer_list<const char*> ids, std::size_t count) {
        EXPECT_TRUE(pool.submit(held(ids)).empty());
        return started.wait_for(count);
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
    ASSERT_TRUE(gated.starts({"a"}, 1));
    EXPECT_EQ(ids_of(gated.pool.submit(held({"b", "c", "d"}))), std::vector<std::string>{"d"});
    EXPECT_EQ(gated.pool.room(), 0U);
    EXPECT_EQ(gated.pool.load().queued, 2U);
    EXPECT_EQ(gated.pool.load().running, 1U);
}

// R163 R164
TEST(WorkerPool, Threads_above_core_start_only_when_the_queue_is_full) {
    GatedPool gated({.core = 1, .max = 2, .queue = 2});
    ASSERT_TRUE(gated.starts({"a", "b", "c"}, 1));
    EXPECT_EQ(gated.pool.load().threads, 1U);
    ASSERT_TRUE(gated.starts({"d"}, 2));
    EXPECT_EQ(gated.pool.load().threads, 2U);
}

// R165
TEST(WorkerPool, A_thread_above_core_ends_when_it_has_been_idle_for_the_keep_alive) {
    GatedPool gated({.core = 1, .max = 2, .queue = 1, .keep_alive = 1ms});
    ASSERT_TRUE(gated.starts({"a", "b", "c"}, 2));
    EXPECT_EQ(gated.pool.load().threads, 2U);
    gated.open();
    EXPECT_TRUE(test::eventually([&] { return gated.pool.load().threads == 1; }));
    EXPECT_TRUE(gated.starts({"d"}, 4));
}

TEST(WorkerPool, Jobs_start_in_the_order_in_which_they_were_submitted) {
    GatedPool gated({.core = 1, .max = 1, .queue = 10});
    gated.open();
    ASSERT_TRUE(gated.starts({"a", "b", "c"}, 3));
    (void)gated.pool.close();
    ASSERT_TRUE(gated.pool.wait_until_done(test::kPatience));
    EXPECT_EQ(gated.started_ids, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(WorkerPool, Closing_returns_what_has_not_started_and_lets_the_rest_run) {
    GatedPool gated({.core = 1, .max = 1, .queue = 5});
    ASSERT_TRUE(gated.starts({"a", "b", "c"}, 1));
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
    ASSERT_TRUE(gated.starts({"a"}, 1));
    EXPECT_TRUE(test::eventually([&] { return gated.pool.load().running == 0; }));
    EXPECT_EQ(gated.pool.room(), 1U);
}

TEST(WorkerPool, Room_is_told_to_who_has_found_none_when_a_thread_is_idle) {
    GatedPool gated({.core = 1, .max = 1, .queue = 4});
    ASSERT_TRUE(gated.starts({"a"}, 1));
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
    ASSERT_TRUE(gated.starts({"a", "b"}, 2));
    EXPECT_TRUE(test::eventually([&] { return gated.pool.load().running == 0; }));
    EXPECT_EQ(gated.room.count(), 0U);
}

TEST(WorkerPool, What_waits_behind_runs_that_do_not_end_is_given_back) {
    GatedPool gated({.core = 1, .max = 1, .queue = 4, .ahead = 1min});
    const schema::SteadyPoint before = std::chrono::steady_clock::now();
    ASSERT_TRUE(gated.starts({"a", "b", "c"}, 1));
    EXPECT_TRUE(gated.pool.take_surplus(before).empty()) << "the run may still end";
    EXPECT_EQ(ids_of(gated.pool.take_surplus(before + 1h)), (std::vector<std::string>{"c", "b"}));
    EXPECT_TRUE(gated.pool.take_surplus(before + 2h).empty());
}

TEST(WorkerPool, What_starts_alone_is_not_given_back) {
    GatedPool gated({.core = 2, .max = 2, .queue = 4, .ahead = 1ms, .order = {.alone_from = 2}});
    EXPECT_TRUE(gated.pool.submit({suspect("a", 2), suspect("b", 2)}).empty());
    ASSERT_TRUE(gated.started.wait_for(1));
    EXPECT_TRUE(gated.pool.take_surplus(schema::SteadyPoint::max()).empty());
    EXPECT_EQ(gated.pool.load().queued, 1U);
    gated.open();
    EXPECT_TRUE(gated.started.wait_for(2)) << "it starts when the other one has ended";
}

// R014
TEST(WorkerPool, By_priority_an_important_job_starts_before_those_that_wait_already) {
    GatedPool gated({.core = 1, .max = 1, .queue = 10, .order = {.order = {.by_priority = true}}});
    ASSERT_TRUE(gated.starts({"first", "low"}, 1));
    EXPECT_TRUE(gated.pool.submit({waiting("high", 100)}).empty());
    gated.open();
    ASSERT_TRUE(gated.started.wait_for(3));
    (void)gated.pool.close();
    ASSERT_TRUE(gated.pool.wait_until_done(test::kPatience));
    EXPECT_EQ(gated.started_ids, (std::vector<std::string>{"first", "high", "low"}));
}

RunQueue queue_of(RunQueue::Rules rules, const std::vector<HeldJobPtr>& jobs) {
    RunQueue queue(std::move(rules));
    for (const HeldJobPtr& job : jobs) {
        queue.push(job);
    }
    return queue;
}

/// The ids in the order in which they start, each ended before the next.
std::vector<std::string> run_all(RunQueue& queue) {
    std::vector<std::string> ids;
    while (queue.has_next()) {
        const HeldJobPtr job = queue.pop();
        ids.push_back(job->job.id);
        queue.ended(*job);
    }
    return ids;
}

TEST(RunQueue, Jobs_that_meet_a_limit_go_first_and_are_given_up_last) {
    RunQueue queue({.goes_first = [](const schema::Job& job) { return job.priority == 7; }});
    for (const std::string id : {"a", "b", "c"}) {
        queue.push(waiting(id));
    }
    queue.push(waiting("limited", 7));
    queue.push(waiting("limited too", 7));
    EXPECT_EQ(queue.size(), 5U);
    EXPECT_EQ(queue.take_last(1).at(0)->job.id, "c");
    EXPECT_THAT(run_all(queue), ElementsAre("limited", "limited too", "a", "b"));
}

TEST(RunQueue, Jobs_start_as_they_came) {
    EXPECT_FALSE(RunQueue({}).has_next());
    RunQueue queue = queue_of({}, {waiting("c", 1), waiting("a", 9), waiting("b", 5)});
    EXPECT_EQ(queue.size(), 3U);
    EXPECT_THAT(run_all(queue), ElementsAre("c", "a", "b"));
    EXPECT_EQ(queue.size(), 0U);
}

// R014
TEST(RunQueue, By_priority_an_important_job_passes_those_that_wait_already) {
    RunQueue queue = queue_of(
        {.order = {.by_priority = true}},
        {waiting("low-1", -5),
         waiting("low-2", -5),
         waiting("middle", 0),
         waiting("high", 100),
         waiting("low-3", -5)}
    );
    EXPECT_THAT(run_all(queue), ElementsAre("high", "middle", "low-1", "low-2", "low-3"));
}

// R048
TEST(RunQueue, What_waits_is_in_the_order_of_the_table) {
    using namespace std::chrono_literals;
    const schema::TimePoint now(1h);
    const auto job = [&](const char* id, std::int64_t priority, schema::TimePoint due) {
        return std::make_shared<HeldJob>(
            a_job(id).with_priority(priority).due_at(due), schema::SteadyPoint::max()
        );
    };
    RunQueue queue = queue_of(
        {.order = {.by_priority = true, .by_due_date = true}},
        {job("low", 1, now - 5s), job("late", 2, now), job("early", 2, now - 1s)}
    );
    EXPECT_THAT(run_all(queue), ElementsAre("early", "late", "low"));
}

TEST(RunQueue, By_priority_what_comes_while_others_run_is_ordered_too) {
    RunQueue queue = queue_of({.order = {.by_priority = true}}, {waiting("a", 1), waiting("b", 1)});
    EXPECT_EQ(queue.pop()->job.id, "a");
    queue.push(waiting("c", 2));
    EXPECT_EQ(queue.pop()->job.id, "c");
    EXPECT_EQ(queue.pop()->job.id, "b");
    EXPECT_FALSE(queue.has_next());
}

TEST(RunQueue, Of_jobs_before_their_last_start_one_runs_at_a_time) {
    RunQueue queue = queue_of({.alone_from = 2}, {suspect("last-1", 2), suspect("last-2", 3)});
    const HeldJobPtr first = queue.pop();
    EXPECT_EQ(first->job.id, "last-1");
    EXPECT_FALSE(queue.has_next());
    EXPECT_EQ(queue.size(), 1U);
    queue.ended(*first);
    ASSERT_TRUE(queue.has_next());
    EXPECT_EQ(queue.pop()->job.id, "last-2");
}

TEST(RunQueue, One_that_starts_alone_waits_for_every_suspected_job_and_no_other_begins) {
    RunQueue queue({.alone_from = 2});
    queue.push(suspect("early-1", 1));
    const HeldJobPtr early = queue.pop();
    queue.push(suspect("early-2", 1));
    queue.push(suspect("last", 2));
    queue.push(waiting("new"));
    EXPECT_EQ(queue.pop()->job.id, "new") << "nobody suspects it";
    EXPECT_FALSE(queue.has_next());
    queue.ended(*early);
    const HeldJobPtr last = queue.pop();
    EXPECT_EQ(last->job.id, "last");
    EXPECT_FALSE(queue.has_next());
    queue.ended(*last);
    EXPECT_EQ(queue.pop()->job.id, "early-2");
}

TEST(RunQueue, Suspected_jobs_run_beside_each_other_before_their_last_start) {
    RunQueue queue = queue_of({.alone_from = 2}, {suspect("early-1", 1), suspect("early-2", 1)});
    EXPECT_EQ(queue.pop()->job.id, "early-1");
    EXPECT_EQ(queue.pop()->job.id, "early-2");
}

TEST(RunQueue, Other_jobs_run_beside_one_that_starts_alone) {
    RunQueue queue =
        queue_of({.alone_from = 2}, {waiting("a"), suspect("last-1", 2), suspect("last-2", 2)});
    const HeldJobPtr first = queue.pop();
    EXPECT_EQ(first->job.id, "last-1") << "it has waited longest";
    const HeldJobPtr other = queue.pop();
    EXPECT_EQ(other->job.id, "a");
    queue.ended(*other);
    EXPECT_FALSE(queue.has_next()) << "the one that starts alone still runs";
    queue.ended(*first);
    EXPECT_TRUE(queue.has_next());
}

TEST(RunQueue, What_would_start_last_can_be_taken_out_again) {
    RunQueue queue = queue_of(
        {.order = {.by_priority = true}, .alone_from = 2},
        {waiting("low", 1), waiting("high-1", 9), suspect("last", 2), waiting("high-2", 9)}
    );
    EXPECT_THAT(queue.take_last(0), IsEmpty());
    EXPECT_THAT(ids_of(queue.take_last(2)), ElementsAre("low", "high-2"));
    EXPECT_THAT(ids_of(queue.take_last(9)), ElementsAre("high-1"));
    EXPECT_THAT(run_all(queue), ElementsAre("last"));
}

TEST(RunQueue, All_can_be_taken_out_at_once) {
    RunQueue queue = queue_of(
        {.order = {.by_priority = true}, .alone_from = 2},
        {waiting("a", 1), suspect("early", 1), suspect("last", 2), waiting("b", 7)}
    );
    EXPECT_THAT(ids_of(queue.take_all()), ElementsAre("last", "early", "b", "a"));
    EXPECT_EQ(queue.size(), 0U);
    EXPECT_FALSE(queue.has_next());
    EXPECT_THAT(queue.take_all(), IsEmpty());
}

/// Runs whose handler keeps them, and what is told of their ends.
class AsyncRunsTest : public testing::Test {
protected:
    void begin(const std::string& id) {
        const auto held = std::make_shared<HeldJob>(schema::Job{.id = id}, schema::SteadyPoint{});
        runs.begin(handler, held, {.job = held->job, .stop = held->stop.get_token()});
    }

    std::vector<std::string> told;
    std::vector<std::shared_ptr<AsyncRun>> kept;
    AsyncJobHandler handler = [this](std::shared_ptr<AsyncRun> run) {
        kept.push_back(std::move(run));
    };
    AsyncRuns runs{
        2,
        [this](const HeldJobPtr& held, HandlerResult result) {
            const auto* failed = std::get_if<Failed>(&result);
            told.push_back(held->job.id + ": " + (failed == nullptr ? "done" : failed->message));
        }};
};

TEST_F(AsyncRunsTest, A_run_is_under_way_until_it_ends) {
    begin("a");
    begin("b");
    EXPECT_EQ(runs.under_way(), 2U);
    EXPECT_FALSE(runs.wait_until_done(0ms));
    EXPECT_THAT(told, IsEmpty());

    kept[1]->end(Succeeded{});
    EXPECT_EQ(runs.under_way(), 1U);
    kept[0]->end(Failed{.message = "no"});
    EXPECT_TRUE(runs.wait_until_done(0ms));
    EXPECT_THAT(told, ElementsAre("b: done", "a: no"));
}

TEST_F(AsyncRunsTest, The_first_end_counts) {
    begin("a");
    kept[0]->end(Succeeded{});
    kept[0]->end(Failed{.message = "too late"});
    EXPECT_THAT(told, ElementsAre("a: done"));
    EXPECT_EQ(runs.under_way(), 0U);
}

TEST_F(AsyncRunsTest, A_run_that_nobody_can_end_any_more_has_failed) {
    begin("a");
    kept.clear();
    EXPECT_THAT(told, ElementsAre("a: the handler let go of the job without ending it"));
}

TEST_F(AsyncRunsTest, What_a_handler_throws_is_how_its_run_ends) {
    handler = [](const std::shared_ptr<AsyncRun>&) { throw std::runtime_error("no address"); };
    begin("a");
    EXPECT_THAT(told, ElementsAre("a: no address"));

    handler = [](const std::shared_ptr<AsyncRun>& run) {
        run->end(Succeeded{});
        throw std::runtime_error("after the end");
    };
    begin("b");
    EXPECT_THAT(told, ElementsAre("a: no address", "b: done"));
}

TEST_F(AsyncRunsTest, Who_finds_no_place_waits_for_the_end_of_a_run) {
    begin("a");
    begin("b");
    Signal has_place;
    std::thread waiting([&] {
        runs.wait_for_place({});
        has_place.notify();
    });
    EXPECT_EQ(has_place.count(), 0U);
    kept[0]->end(Succeeded{});
    EXPECT_TRUE(has_place.wait_for(1));
    waiting.join();
}

TEST_F(AsyncRunsTest, Who_is_told_to_stop_waits_no_longer) {
    begin("a");
    begin("b");
    std::stop_source stop;
    stop.request_stop();
    runs.wait_for_place(stop.get_token());
    EXPECT_EQ(runs.under_way(), 2U);
}

TEST_F(AsyncRunsTest, After_the_close_nobody_is_told) {
    begin("a");
    runs.close();
    kept[0]->end(Succeeded{});
    EXPECT_THAT(told, IsEmpty());
    EXPECT_EQ(runs.under_way(), 1U);
}

}  // namespace

}  // namespace jobstrand::executor
