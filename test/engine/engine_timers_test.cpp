#include "test/engine/engine_fixture.hpp"

#include <algorithm>
#include <latch>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace jobstrand {

namespace {

using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using schema::JobPlace;
using test::eventually;
using test::Signal;
using namespace std::chrono_literals;

/// One node with one worker, whose mover never looks by itself: it has to be woken.
class TimerOrder : public test::EngineTest {
protected:
    [[nodiscard]] std::unique_ptr<engine::Wiring> a_worker(
        executor::ExecutorSettings settings = {}
    ) {
        settings.core_pool_size = 1;
        settings.max_pool_size = 1;
        settings.timer_wait = 1h;
        return std::make_unique<engine::Wiring>(
            engine::WiringOptions{.database_url = url(), .executor = std::move(settings)},
            clock,
            log
        );
    }

    /// They are created in another order than that in which they fall due: soon, but not before
    /// all of them are stored.
    void enqueue_timers(engine::Wiring& engine, int count, std::size_t payload = 0) const {
        std::vector<schema::Job> timers;
        const schema::TimePoint first = clock.now() + (payload == 0 ? 500ms : 2s);
        for (int i = 0; i < count; ++i) {
            timers.push_back(
                {.due_date = first + ((i * 7) % count) * 1ms,
                 .handler_type = "test",
                 .payload = std::string(payload, '1')}
            );
        }
        engine.enqueue_all(std::move(timers));
    }

    [[nodiscard]] executor::JobHandler noting() {
        return [this](const JobContext& context) -> HandlerResult {
            due_dates.push_back(context.job.due_date.value());
            runs.notify();
            return Succeeded{};
        };
    }

    Signal runs;
    std::vector<schema::TimePoint> due_dates;
};

// As with runs that take longer than the time ahead: only what a worker waits for is taken.
TEST_F(TimerOrder, Timers_that_wait_for_a_worker_run_in_due_order_however_long_the_runs_are) {
    constexpr int kTimers = 100;
    const auto engine = a_worker({.acquire_ahead = 0ms});
    engine->handlers().add("test", noting());
    engine->start();
    enqueue_timers(*engine, kTimers);
    ASSERT_TRUE(runs.wait_for(kTimers));
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_TRUE(std::ranges::is_sorted(due_dates));
}

// The first timers are known to be short, so the next ones wait in the queue when one is long.
TEST_F(TimerOrder, Timers_keep_their_due_order_when_a_run_is_much_longer_than_those_before) {
    constexpr std::size_t kTimers = 300;
    const auto engine = a_worker({.acquire_ahead = 20ms});
    engine->handlers().add("test", [&](const JobContext& context) -> HandlerResult {
        due_dates.push_back(context.job.due_date.value());
        if (due_dates.size() % 100 == 50) {
            // Until the others are timers again.
            EXPECT_TRUE(eventually([&] {
                const auto waiting = count(*engine, JobPlace::timer);
                return waiting + std::ssize(due_dates) == kTimers;
            }));
        }
        runs.notify();
        return Succeeded{};
    });
    engine->start();
    enqueue_timers(*engine, kTimers);
    ASSERT_TRUE(runs.wait_for(kTimers));
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_TRUE(std::ranges::is_sorted(due_dates));
}

TEST_F(TimerOrder, A_queue_that_is_too_short_does_not_change_the_due_order) {
    constexpr int kTimers = 200;
    const auto engine = a_worker({.queue_size = 2, .acquire_page = 10});
    engine->handlers().add("test", noting());
    engine->handlers().add("other", test::succeed);
    engine->start();
    enqueue_timers(*engine, kTimers);
    engine->enqueue_all(std::vector<schema::Job>(kTimers, schema::Job{.handler_type = "other"}));
    ASSERT_TRUE(runs.wait_for(kTimers));
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_TRUE(std::ranges::is_sorted(due_dates));
}

TEST_F(TimerOrder, Payloads_that_are_too_many_for_the_queue_do_not_change_it) {
    constexpr int kTimers = 40;
    constexpr std::size_t kPayload = 100'000;
    const auto engine = a_worker({.queue_bytes = 5 * kPayload, .acquire_page_bytes = 3 * kPayload});
    engine->handlers().add("test", noting());
    engine->start();
    enqueue_timers(*engine, kTimers, kPayload);
    ASSERT_TRUE(runs.wait_for(kTimers));
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_TRUE(std::ranges::is_sorted(due_dates));
}

TEST_F(TimerOrder, Other_jobs_and_timers_both_get_the_worker) {
    constexpr int kEach = 50;
    Signal others;
    const auto engine = a_worker({.acquire_ahead = 0ms});
    engine->handlers().add("test", noting());
    engine->handlers().add("other", [&](const JobContext&) -> HandlerResult {
        others.notify();
        return Succeeded{};
    });
    engine->start();
    enqueue_timers(*engine, kEach);
    engine->enqueue_all(std::vector<schema::Job>(kEach, schema::Job{.handler_type = "other"}));
    EXPECT_TRUE(runs.wait_for(kEach));
    EXPECT_TRUE(others.wait_for(kEach));
    EXPECT_TRUE(all_jobs_end(*engine));
    EXPECT_TRUE(std::ranges::is_sorted(due_dates));
}

TEST_F(TimerOrder, While_all_workers_are_busy_only_the_timers_that_others_serve_move) {
    std::latch end(1);
    const auto engine = a_worker();
    engine->handlers().add("long", [&](const JobContext&) -> HandlerResult {
        started.notify();
        end.wait();
        return Succeeded{};
    });
    engine->handlers().add("test", noting());
    engine->start();
    engine->enqueue({.handler_type = "long"});
    ASSERT_TRUE(started.wait_for(1));
    const schema::TimePoint due = clock.now() + 50ms;
    engine->enqueue({.due_date = due, .handler_type = "test"});
    const std::string foreign =
        engine->enqueue({.due_date = due + 50ms, .handler_type = "somebody-elses"});
    EXPECT_TRUE(arrives(*engine, foreign, JobPlace::executable));
    EXPECT_EQ(count(*engine, JobPlace::timer), 1);
    end.count_down();
    EXPECT_TRUE(runs.wait_for(1));
}

class SeriesOfAnEngine : public test::EngineTest {
protected:
    [[nodiscard]] static bool ends(engine::Wiring& engine, const std::string& key) {
        return eventually([&] {
            return engine.series_store().find_series(key)->condition ==
                       persistence::SeriesCondition::ended &&
                   count(engine, JobPlace::executable) == 0;
        });
    }

    /// Notes the payload of each run.
    executor::HandlerResult note(const executor::JobContext& context) {
        const std::lock_guard lock(mutex_);
        payloads_.push_back(context.job.payload);
        return executor::Succeeded{.payload = context.job.payload + "x"};
    }

    std::vector<std::string> payloads() {
        const std::lock_guard lock(mutex_);
        return payloads_;
    }

private:
    std::mutex mutex_;
    std::vector<std::string> payloads_;
};

// R125, R126
TEST_F(SeriesOfAnEngine, Its_turns_run_one_after_the_other_and_hand_their_payload_on) {
    const auto engine = an_engine();
    engine->handlers().add("note", [this](const executor::JobContext& context) {
        return note(context);
    });
    engine->start();
    const std::string key = engine->start_series(
        {.key = "s", .repeat = "R3/PT0.02S", .keep_data = true},
        {.handler_type = "note", .payload = "1"}
    );
    EXPECT_EQ(key, "s");
    ASSERT_TRUE(ends(*engine, key));
    EXPECT_EQ(payloads(), (std::vector<std::string>{"1", "1x", "1xx"}));
}

TEST_F(SeriesOfAnEngine, A_job_with_a_repeat_is_the_first_turn_of_a_series) {
    const auto engine = an_engine();
    engine->handlers().add("note", [this](const executor::JobContext& context) {
        return note(context);
    });
    engine->start();
    const std::vector<std::string> ids = engine->enqueue_all(
        {{.repeat = "R2/PT0.02S", .handler_type = "note", .payload = "turn"},
         {.handler_type = "note", .payload = "job"}}
    );
    ASSERT_TRUE(ends(*engine, ids.at(0)));
    ASSERT_TRUE(eventually([&] { return payloads().size() == 3; }));
}

TEST_F(SeriesOfAnEngine, It_begins_exactly_if_the_transaction_of_the_app_commits) {
    const auto engine = an_engine();
    const auto work = [&](persistence::Transaction& transaction) {
        (void)engine->start_series(
            transaction, {.key = "s", .repeat = "R/PT1H"}, {.handler_type = "note"}
        );
        throw std::runtime_error("the app has changed its mind");
    };
    EXPECT_THROW(engine->in_transaction(work), std::runtime_error);
    EXPECT_EQ(engine->series_store().find_series("s"), std::nullopt);
    EXPECT_EQ(count(*engine, JobPlace::timer), 0);
}

TEST_F(SeriesOfAnEngine, A_text_that_cannot_be_read_is_refused_with_all_that_came_with_it) {
    const auto engine = an_engine();
    EXPECT_THROW(
        engine->enqueue_all({{.handler_type = "note"}, {.repeat = "R/soon", .handler_type = "note"}}
        ),
        std::invalid_argument
    );
    EXPECT_EQ(count(*engine, JobPlace::executable), 0);
}

TEST_F(SeriesOfAnEngine, The_configured_misfire_threshold_counts) {
    executor::ExecutorSettings settings;
    settings.misfire_threshold = std::chrono::milliseconds(1);
    const auto engine = an_engine(settings);
    engine->handlers().add("note", [this](const executor::JobContext& context) {
        return note(context);
    });
    schema::Job turn{.handler_type = "note"};
    turn.due_date = clock.now() - std::chrono::milliseconds(500);
    (void
    )engine->start_series({.key = "s", .repeat = "R1/PT1H", .misfire = "next-with-existing"}, turn);
    engine->start();
    ASSERT_TRUE(ends(*engine, "s"));
    EXPECT_TRUE(payloads().empty());
}

}  // namespace

}  // namespace jobstrand
