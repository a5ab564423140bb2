#include "test/fixtures/server_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/external_worker.hpp>
#include <jobstrand/job_history.hpp>
#include <jobstrand/management.hpp>
#include <jobstrand/testing.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Succeeded succeed(const JobContext&) {
    return {};
}

/// Nodes of a test engine, on every database that this machine can offer.
class Nodes : public testing::TestWithParam<DatabaseByUrl> {
protected:
    void SetUp() override {
        if (GetParam().missing) {
            GTEST_SKIP() << *GetParam().missing;
        }
        begin(kTestStart);
    }

    void begin(TimePoint start, EngineOptions options = TestEngine::silent()) {
        test_.reset();
        options.database_url = GetParam().url();
        test_ = std::make_unique<TestEngine>(options, start);
    }

    Engine& engine() { return test_->engine(); }

    TestNode& add_node(EngineOptions options = TestEngine::silent()) {
        return test_->add_node(std::move(options));
    }

    static void serve(TestNode& node, const std::string& type = "work") {
        node.engine().add_handler(type, succeed);
    }

    std::string enqueue(const std::string& payload, NewJob job = {}) {
        job.handler_type = "work";
        job.payload = payload;
        return engine().enqueue(std::move(job));
    }

    void lock_for_a_minute() {
        engine().in_transaction([&](Transaction& transaction) {
            transaction.execute(
                "UPDATE ACT_RU_JOB SET LOCK_OWNER_ = 'stranger', LOCK_EXP_TIME_ = ?",
                {test_->now() + 1min}
            );
        });
    }

    /// `node: payload`, and how it ended if it did not succeed.
    [[nodiscard]] std::vector<std::string> told() const {
        std::vector<std::string> told;
        for (const TestRun& run : test_->runs()) {
            const std::string_view end = run.end == RunEnd::succeeded ? ""
                                         : run.end == RunEnd::lost    ? " lost"
                                                                      : " other";
            told.push_back(run.node + ": " + run.job.payload + std::string(end));
        }
        return told;
    }

    [[nodiscard]] std::vector<Duration> times() const {
        std::vector<Duration> times;
        for (const TestRun& run : test_->runs()) {
            times.push_back(run.at - kTestStart);
        }
        return times;
    }

    std::unique_ptr<TestEngine> test_;
};

INSTANTIATE_TEST_SUITE_P(On, Nodes, testing::ValuesIn(databases_by_url()), [](const auto& of) {
    return of.param.name;
});

TEST_P(Nodes, Take_turns_one_job_each) {
    TestNode& other = add_node();
    serve(test_->node());
    serve(other);
    for (const char* const payload : {"1", "2", "3"}) {
        enqueue(payload);
    }
    EXPECT_EQ(test_->run_until_idle(), 3);
    EXPECT_THAT(told(), ElementsAre("test-engine: 1", "test-engine-2: 2", "test-engine: 3"));
}

TEST_P(Nodes, Missed_turns_of_a_series_run_in_their_order) {
    serve(test_->node());
    engine().start_series({
        .turn = {.handler_type = "work"},
        .repeat = "0 0 * * * ?",
        .misfire = "ignore",
        .start = test_->now(),
    });
    test_->advance(4h);
    test_->run_until_idle();
    std::vector<Duration> turns;
    std::vector<std::string> ids;
    for (const TestRun& run : test_->runs()) {
        turns.push_back(run.job.due_date.value_or(kTestStart) - kTestStart);
        ids.push_back(run.job.id);
    }
    EXPECT_THAT(turns, ElementsAre(0h, 1h, 2h, 3h, 4h));
    EXPECT_TRUE(std::ranges::is_sorted(ids));
}

TEST_P(Nodes, Live_at_any_date_and_so_through_the_changes_of_clocks_of_2014) {
    using std::chrono::sys_days;
    begin(sys_days(2014y / 3 / 29));
    serve(test_->node());
    engine().start_series({
        .turn = {.handler_type = "work"},
        .repeat = "0 0 4 * * ?",
        .zone = "Europe/Berlin",
    });
    EXPECT_EQ(engine().now(), TimePoint(sys_days(2014y / 3 / 29)));
    test_->run_for(48h);
    ASSERT_THAT(test_->runs(), SizeIs(2));
    EXPECT_EQ(test_->runs()[0].at, TimePoint(sys_days(2014y / 3 / 29) + 3h));
    EXPECT_EQ(test_->runs()[1].at, TimePoint(sys_days(2014y / 3 / 30) + 2h));
    EXPECT_EQ(test_->runs()[1].job.create_time, test_->runs()[0].at) << "by the same clock";
}

TEST_P(Nodes, Run_the_jobs_of_one_that_was_killed_when_its_lease_is_over) {
    TestNode& other = add_node();
    serve(test_->node());
    serve(other);
    enqueue("1");
    enqueue("2");
    EXPECT_EQ(test_->node().acquire(2), 2);
    test_->node().kill();
    EXPECT_FALSE(test_->node().is_alive());
    EXPECT_EQ(test_->node().acquire(1), 0) << "it is dead";
    EXPECT_EQ(test_->run_for(9s), 0) << "its lease holds";
    EXPECT_EQ(test_->run_for(10s), 2);
    EXPECT_THAT(told(), ElementsAre("test-engine-2: 1", "test-engine-2: 2"));
    EXPECT_LT(times()[0], 30s) << "before the locks end";
}

TEST_P(Nodes, Find_the_jobs_of_a_dead_one_also_when_they_came_after_its_death) {
    serve(test_->node());
    enqueue("1");
    EXPECT_EQ(test_->node().acquire(1), 1);
    test_->node().kill();
    EXPECT_EQ(test_->run_for(1h), 0) << "nobody is there";
    serve(add_node());
    EXPECT_EQ(test_->run_for(1min), 1);
}

TEST_P(Nodes, Die_in_a_handler_of_which_nothing_is_written) {
    TestNode& other = add_node();
    bool goes_on = false;
    test_->node().engine().add_handler("work", [&](const JobContext&) {
        test_->node().kill();
        goes_on = true;
        return Succeeded{};
    });
    serve(other);
    enqueue("1");
    EXPECT_EQ(test_->run_for(1min), 2);
    EXPECT_FALSE(goes_on);
    EXPECT_THAT(told(), ElementsAre("test-engine: 1 lost", "test-engine-2: 1"));
    EXPECT_THAT(test_->waiting(), IsEmpty());
}

TEST_P(Nodes, Die_in_a_transaction_that_is_rolled_back) {
    TestNode& other = add_node();
    serve(other);
    test_->node().engine().add_transactional_handler(
        "work",
        [&](const JobContext&, Transaction& transaction) {
            engine().enqueue(transaction, {.handler_type = "never"});
            test_->node().kill();
            return Succeeded{};
        }
    );
    enqueue("1");
    test_->run_for(1min);
    EXPECT_THAT(told(), ElementsAre("test-engine: 1 lost", "test-engine-2: 1"));
    EXPECT_THAT(test_->waiting(), IsEmpty());
}

TEST_P(Nodes, That_stood_still_for_too_long_write_nothing_when_they_go_on) {
    TestNode& other = add_node();
    serve(other);
    test_->node().engine().add_handler("work", [&](const JobContext&) {
        test_->node().freeze();
        return Succeeded{};
    });
    enqueue("1");
    EXPECT_EQ(test_->run_for(1min), 1);
    EXPECT_THAT(told(), ElementsAre("test-engine-2: 1")) << "the first run has not ended";
    test_->node().thaw();
    EXPECT_THAT(told(), ElementsAre("test-engine-2: 1", "test-engine: 1 lost"));
}

TEST_P(Nodes, That_stood_still_for_a_moment_go_on_as_if_nothing_had_been) {
    TestNode& other = add_node();
    serve(other);
    serve(test_->node());
    enqueue("1");
    EXPECT_EQ(test_->node().acquire(1), 1);
    test_->node().freeze();
    EXPECT_EQ(test_->run_for(3s), 0);
    test_->node().thaw();
    EXPECT_EQ(test_->run_for(1min), 1);
    EXPECT_THAT(told(), ElementsAre("test-engine: 1"));
}

TEST_P(Nodes, Drop_what_they_held_when_another_one_has_run_it_meanwhile) {
    TestNode& other = add_node();
    serve(other);
    serve(test_->node());
    enqueue("1");
    test_->node().acquire(1);
    test_->node().freeze();
    test_->run_for(1min);
    test_->node().thaw();
    enqueue("2");
    EXPECT_EQ(test_->run_until_idle(), 1);
    EXPECT_THAT(told(), ElementsAre("test-engine-2: 1", "test-engine: 2"));
}

TEST_P(Nodes, Keep_their_locks_however_far_the_clock_is_turned_while_they_live) {
    TestNode& other = add_node();
    serve(other);
    test_->node().engine().add_handler("work", [&](const JobContext&) {
        test_->advance(24h);
        return Succeeded{};
    });
    enqueue("1");
    EXPECT_EQ(test_->run_for(1h), 1);
    EXPECT_THAT(told(), ElementsAre("test-engine: 1"));
}

TEST_P(Nodes, Free_the_locks_of_others_that_have_expired) {
    serve(test_->node());
    enqueue("1");
    lock_for_a_minute();
    EXPECT_EQ(test_->run_until_idle(), 0);
    test_->advance(59s);
    EXPECT_EQ(test_->run_until_idle(), 0);
    test_->advance(11s);
    EXPECT_EQ(test_->run_until_idle(), 1);
}

TEST_P(Nodes, Free_the_locks_of_others_that_expire_while_time_goes_by) {
    serve(test_->node());
    enqueue("1");
    lock_for_a_minute();
    EXPECT_EQ(test_->run_for(1h), 1);
}

// I4
TEST_P(Nodes, Let_exclusive_jobs_wait_for_one_that_a_dead_node_holds) {
    TestNode& other = add_node();
    serve(test_->node());
    serve(other);
    enqueue("1", {.process_instance_id = "i"});
    enqueue("2", {.process_instance_id = "i"});
    EXPECT_EQ(test_->node().acquire(1), 1);
    test_->node().kill();
    EXPECT_EQ(test_->run_until_idle(), 0);
    EXPECT_EQ(test_->run_for(1min), 2);
    EXPECT_THAT(told(), ElementsAre("test-engine-2: 1", "test-engine-2: 2"));
}

TEST_P(Nodes, Keep_a_limit_among_them) {
    TestNode& other = add_node();
    serve(test_->node());
    serve(other);
    Management management(engine());
    management.set_limit({.name = "type:work", .concurrent = 1});
    enqueue("1", {.exclusive = false});
    enqueue("2", {.exclusive = false});
    EXPECT_EQ(test_->node().acquire(2), 1) << "so many may run";
    EXPECT_EQ(management.limits().front().running, 1);
    EXPECT_EQ(management.limits().front().waiting, 1);
    test_->node().freeze();
    EXPECT_EQ(test_->run_until_idle(), 0);
    test_->node().thaw();
    EXPECT_EQ(test_->run_until_idle(), 2);
}

TEST_P(Nodes, Run_what_waited_for_a_limit_when_it_is_gone) {
    serve(test_->node());
    Management management(engine());
    management.set_limit({.name = "type:work", .concurrent = 0});
    enqueue("1", {.exclusive = false});
    EXPECT_EQ(test_->run_for(1h), 0);
    EXPECT_EQ(management.remove_limit("type:work"), ChangeAnswer::done);
    EXPECT_EQ(test_->run_until_idle(), 1);
}

TEST_P(Nodes, Start_no_more_jobs_in_a_minute_than_a_rate_lets_them) {
    serve(test_->node());
    Management(engine()).set_limit({.name = "type:work", .rate = StartRate{1, 1min}});
    for (const char* const payload : {"1", "2", "3"}) {
        enqueue(payload, {.exclusive = false});
    }
    EXPECT_EQ(test_->run_for(150s), 3);
    EXPECT_THAT(times(), ElementsAre(0min, 1min, 2min));
}

TEST_P(Nodes, Share_their_clock_with_external_workers) {
    enqueue("1", {.for_external_worker = true});
    ExternalWorker first(engine(), "w-1");
    ExternalWorker second(engine(), "w-2");
    const WorkOrder order{.topics = {"work"}, .lock = 1min};
    ASSERT_THAT(first.acquire(order), SizeIs(1));
    test_->advance(59s);
    EXPECT_THAT(second.acquire(order), IsEmpty());
    test_->advance(2s);
    const std::vector<AcquiredWork> work = second.acquire(order);
    ASSERT_THAT(work, SizeIs(1));
    EXPECT_EQ(work[0].locked_until, test_->now() + 1min);
    EXPECT_EQ(second.complete(work[0].held, "done"), WorkAnswer::done);
    engine().add_handler(std::string(kWorkerOutcome), succeed);
    EXPECT_EQ(test_->run_until_idle(), 1);
}

TEST_P(Nodes, Take_the_highest_priority_first_when_they_are_told_to) {
    EngineOptions options = TestEngine::silent();
    options.acquire_by_priority = true;
    begin(kTestStart, options);
    serve(test_->node());
    enqueue("low", {.priority = 1});
    enqueue("high", {.priority = 9});
    enqueue("middle", {.priority = 5});
    test_->run_until_idle();
    EXPECT_THAT(
        told(), ElementsAre("test-engine: high", "test-engine: middle", "test-engine: low")
    );
}

TEST_P(Nodes, Tell_the_past_by_their_clock_and_forget_it) {
    EngineOptions options = TestEngine::silent();
    options.history = {.job_log = JobLogLevel::full, .retention = 24h};
    begin(kTestStart - 365 * 24h, options);
    serve(test_->node());
    const std::string id = enqueue("1");
    test_->run_for(1min);
    JobHistory history(engine());
    for (const JobLogLine& line : history.log({.job = id})) {
        EXPECT_EQ(line.time, kTestStart - 365 * 24h);
    }
    EXPECT_THAT(history.log({.job = id}), SizeIs(2));
    EXPECT_THAT(history.finished_runs({.job = id}), SizeIs(1));
    test_->advance(25h);
    EXPECT_THAT(history.log({.job = id}), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
