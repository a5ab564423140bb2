#include "executor/job_runner.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using schema::TransitionReason;
using test::a_job;

class JobRunnerTest : public testing::Test {
protected:
    void handle(JobHandler handler) { handlers_.add("test", std::move(handler)); }

    void handle_with_needs(HandlerRegistry::Needs needs) {
        handlers_.add(
            "test", [](const JobContext&) { return Succeeded{}; }, std::move(needs)
        );
    }

    std::optional<persistence::Outcome> run(const schema::Job& job) { return run(hold(job)); }

    [[nodiscard]] HeldJobPtr hold(const schema::Job& job) const {
        return std::make_shared<HeldJob>(schema::Job(job), clock.steady_now() + 30s);
    }

    [[nodiscard]] JobRunner a_runner() {
        return {
            {store, handlers_, clock, log, nullptr, &times, nullptr, &on_run},
            {.retry = {}, .time_limit = 5s, .lost_starts = 3, .lock_time = 30s},
            "node-1"};
    }

    /// nullopt: it is written already.
    std::optional<persistence::Outcome> run(const HeldJobPtr& held) {
        JobRunner::Answer answer = a_runner().run(held);
        auto* const outcome = std::get_if<persistence::Outcome>(&answer);
        return outcome == nullptr ? std::nullopt : std::optional(std::move(*outcome));
    }

    void handle_in_transaction(TransactionalJobHandler handler) {
        handlers_.add_transactional("test", std::move(handler));
    }

    /// Runs a fresh job with this handler and returns where it goes.
    schema::Transition transition(JobHandler handler) {
        handle(std::move(handler));
        return run(a_job("a").of_type("test"))->transition;
    }

    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    test::RecordingLog log;
    RunTimes times;
    OnRun on_run;

private:
    HandlerRegistry handlers_;
};

TEST_F(JobRunnerTest, A_handler_gets_a_span_of_its_own_in_the_trace_of_the_job) {
    const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-";
    schema::Job job = a_job("a").of_type("test");
    job.trace_parent = trace + "00f067aa0ba902b7-01";
    std::string told;
    handle([&](const JobContext& context) {
        told = context.trace_parent;
        return Succeeded{};
    });
    (void)run(job);
    EXPECT_THAT(told, testing::AllOf(testing::StartsWith(trace), testing::Ne(job.trace_parent)));
    (void)run(a_job("b").of_type("test"));
    EXPECT_EQ(told, "") << "nobody watches, so no trace begins";
}

TEST_F(JobRunnerTest, Who_watches_is_told_of_each_run) {
    std::vector<std::string> runs;
    std::string span;
    schema::Duration waited{0};
    on_run = [&](const WatchedRun& run) {
        std::ostringstream line;
        line << run.job.id << ' ' << run.attempt << ' ' << (run.ended - run.began).count() << ' '
             << schema::name_of(run.reason) << ' ' << run.error;
        runs.push_back(line.str());
        span = run.trace_parent;
        waited = run.began - run.locked.value_or(run.began);
    };
    std::string told;
    handle([&](const JobContext& context) -> HandlerResult {
        told = context.trace_parent;
        clock.tick(1500ms);
        return Failed{.message = "no ink"};
    });
    schema::Job job = a_job("a").of_type("test");
    job.lock_expiration = clock.now() + 30s;
    clock.tick(20ms);
    (void)run(job);
    EXPECT_THAT(runs, testing::ElementsAre("a 1 1500 retry no ink"));
    EXPECT_EQ(waited, 20ms) << "it was locked for 30 s";
    EXPECT_EQ(span, told) << "a trace begins with the run";
    EXPECT_THAT(told, testing::EndsWith("-01"));
    (void)run(a_job("b").of_type("nobody's"));
    EXPECT_EQ(runs.size(), 1U) << "what does not run is no run";
}

// B6: nothing runs under a lock that is over.
TEST_F(JobRunnerTest, A_transactional_handler_is_not_called_when_its_transaction_began_too_late) {
    int calls = 0;
    handle_in_transaction([&](const JobContext&, persistence::Transaction&) {
        ++calls;
        return Succeeded{};
    });
    const test::SqliteFile file = test::SqliteFile::without_schema();
    const auto connection = file.connect();
    EXPECT_CALL(store, in_transaction)
        .WillOnce([&](const std::function<void(persistence::Transaction&)>& work, const auto&) {
            clock.tick(31s);  // Others have written that long; the lock was for 30 s.
            persistence::Transaction transaction(*connection);
            work(transaction);
        });
    const auto outcome = run(a_job("a").of_type("test"));
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(outcome->transition.reason, TransitionReason::interrupted);
}

// R124
TEST_F(JobRunnerTest, A_successful_job_is_gone) {
    const auto to = transition([](const JobContext&) { return Succeeded{}; });
    EXPECT_EQ(to.to, std::nullopt);
    EXPECT_EQ(to.reason, TransitionReason::completed);
}

TEST_F(JobRunnerTest, Counts_how_long_a_job_has_waited_since_it_could_run_and_how_long_it_took) {
    handle([this](const JobContext&) {
        clock.tick(2s);
        return Succeeded{};
    });
    schema::Job due = a_job("a").of_type("test");
    due.create_time = clock.now() - 1h;
    due.due_date = clock.now() - 3s;
    (void)run(due);
    schema::Job at_once = a_job("b").of_type("test");
    at_once.create_time = clock.now() - 40ms;
    at_once.due_date.reset();
    (void)run(at_once);
    EXPECT_DOUBLE_EQ(times.waited.sum_s(), 3.04);
    EXPECT_DOUBLE_EQ(times.ran.sum_s(), 4);
}

// R126
TEST_F(JobRunnerTest, A_successful_job_may_hand_a_payload_on_that_a_row_can_hold) {
    const auto kept = transition([](const JobContext&) { return Succeeded{.payload = "{}"}; });
    EXPECT_EQ(kept.payload, "{}");
}

TEST_F(JobRunnerTest, A_payload_that_no_row_can_hold_is_a_failure) {
    const auto to = transition([](const JobContext&) { return Succeeded{.payload = "\xff"}; });
    EXPECT_EQ(to.to, JobPlace::timer);
    EXPECT_EQ(to.failure->message, "for the next turn: payload is not UTF-8 text without NUL");
}

// R157
TEST_F(JobRunnerTest, A_failed_job_waits_as_a_timer_with_one_retry_fewer) {
    const auto to = transition([](const JobContext&) {
        return Failed{.message = "no ink", .details = "tray 2"};
    });
    EXPECT_EQ(to.to, JobPlace::timer);
    EXPECT_EQ(to.retries, 2);
    EXPECT_EQ(to.due_date, clock.now() + 10s);
    EXPECT_EQ(to.failure->message, "no ink");
    EXPECT_EQ(to.failure->details, "tray 2");
}

TEST_F(JobRunnerTest, A_failure_that_is_not_retryable_goes_to_the_dead_letters_at_once) {
    const auto to = transition([](const JobContext&) {
        return Failed{.message = "no such order", .retryable = false};
    });
    EXPECT_EQ(to.to, JobPlace::dead_letter);
    EXPECT_EQ(to.reason, TransitionReason::not_retryable);
}

TEST_F(JobRunnerTest, The_wait_that_a_handler_asks_for_wins_over_the_policy) {
    const auto to =
        transition([](const JobContext&) { return Failed{.message = "busy", .retry_after = 90s}; });
    EXPECT_EQ(to.due_date, clock.now() + 90s);
}

TEST_F(JobRunnerTest, An_exception_is_a_failure_with_its_causes_as_details) {
    const auto to = transition([](const JobContext&) -> HandlerResult {
        try {
            throw std::runtime_error("the inner cause");
        } catch (...) {
            std::throw_with_nested(std::logic_error("the outer effect"));
        }
    });
    EXPECT_EQ(to.to, JobPlace::timer);
    EXPECT_EQ(to.failure->message, "the outer effect");
    EXPECT_NE(to.failure->details.find("the inner cause"), std::string::npos);
}

TEST_F(JobRunnerTest, Something_thrown_that_is_no_exception_is_a_failure_too) {
    const auto to = transition([](const JobContext&) -> HandlerResult { throw 42; });
    EXPECT_EQ(to.to, JobPlace::timer);
    EXPECT_EQ(to.retries, 2);
}

// R064: database conflicts do not use a retry (I5).
TEST_F(JobRunnerTest, A_database_in_trouble_under_a_handler_uses_no_retry) {
    using persistence::DbErrorKind;
    DbErrorKind kind{};
    handle([&kind](const JobContext&) -> HandlerResult {
        throw persistence::DbError(kind, "not the job's fault");
    });
    for (const DbErrorKind each :
         {DbErrorKind::conflict,
          DbErrorKind::busy,
          DbErrorKind::connection_lost,
          DbErrorKind::in_doubt,
          DbErrorKind::unreachable,
          DbErrorKind::not_a_database,
          DbErrorKind::read_only,
          DbErrorKind::storage_full}) {
        kind = each;
        const schema::Transition to = run(a_job("a").of_type("test"))->transition;
        EXPECT_EQ(to.reason, TransitionReason::interrupted) << persistence::name_of(kind);
        EXPECT_EQ(to.to, JobPlace::timer);
        EXPECT_EQ(to.retries, 3);
        EXPECT_EQ(to.attempts, 0);
    }
}

TEST_F(JobRunnerTest, An_interrupted_job_waits_as_long_as_it_said_and_keeps_its_retries) {
    const auto to = transition([](const JobContext&) { return Interrupted{.wait = 7s}; });
    EXPECT_EQ(to.due_date, clock.now() + 7s);
    EXPECT_EQ(to.retries, 3);
}

// I7
TEST_F(JobRunnerTest, A_job_of_an_unknown_handler_type_is_released_not_failed) {
    const auto outcome = run(a_job("a").of_type("somebody-elses"));
    EXPECT_EQ(outcome->transition.reason, TransitionReason::released);
    EXPECT_EQ(outcome->transition.retries, 3);
}

TEST_F(JobRunnerTest, A_job_that_needs_what_is_not_here_is_given_back_and_says_what) {
    handle_with_needs({.of = [](const schema::Job& job) { return job.payload; }, .here = {"saw"}});
    const auto lacking = run(a_job("a").of_type("test").with_payload("axe").with_retries(2));
    EXPECT_EQ(lacking->transition.to, JobPlace::executable);
    EXPECT_EQ(lacking->transition.reason, TransitionReason::not_served);
    EXPECT_EQ(lacking->transition.needs, "axe");
    EXPECT_EQ(lacking->transition.retries, 2);
    const auto fitting = run(a_job("b").of_type("test").with_payload("saw"));
    EXPECT_EQ(fitting->transition.reason, TransitionReason::completed);
}

TEST_F(JobRunnerTest, The_handler_sees_attempt_deadline_payload_and_fencing_token) {
    handle([this](const JobContext& context) -> HandlerResult {
        EXPECT_EQ(context.attempt, 3);
        EXPECT_EQ(context.deadline, clock.now() + 5s);
        EXPECT_EQ(context.job.payload, R"({"order":17})");
        EXPECT_EQ(context.fencing_token, 9);
        EXPECT_FALSE(context.stop.stop_requested());
        return Succeeded{};
    });
    schema::Job job = a_job("a").of_type("test").after_attempts(2).with_payload(R"({"order":17})");
    job.revision = 9;
    EXPECT_TRUE(run(job));
}

TEST_F(JobRunnerTest, A_job_whose_lock_has_ended_before_its_turn_is_not_run) {
    bool was_run = false;
    handle([&](const JobContext&) -> HandlerResult {
        was_run = true;
        return Succeeded{};
    });
    const HeldJobPtr held = hold(a_job("a").of_type("test"));
    clock.tick(30s);
    EXPECT_EQ(run(held)->transition.reason, TransitionReason::released);
    EXPECT_FALSE(was_run);
    EXPECT_EQ(log.count(schema::LogLevel::info, "lock ended"), 1);
}

TEST_F(JobRunnerTest, Jobs_that_lose_their_locks_together_have_one_line_in_the_log) {
    const JobRunner runner = a_runner();
    for (const std::ptrdiff_t outages : {1, 2}) {
        const HeldJobPtr held = hold(a_job("a").of_type("test"));
        clock.tick(30s);
        EXPECT_EQ(runner.run(held).index(), runner.run(held).index());
        EXPECT_EQ(log.count(schema::LogLevel::info, "lock ended"), outages);
        (void)runner.run(hold(a_job("b").of_type("test")));
    }
}

TEST_F(JobRunnerTest, A_job_that_was_told_to_stop_before_its_turn_is_not_run) {
    handle([](const JobContext&) -> HandlerResult { throw std::logic_error("was run"); });
    const HeldJobPtr held = hold(a_job("a").of_type("test"));
    held->stop.request_stop();
    EXPECT_EQ(run(held)->transition.reason, TransitionReason::released);
}

TEST_F(JobRunnerTest, A_failure_says_how_long_the_run_took) {
    handle([this](const JobContext&) -> HandlerResult {
        clock.tick(1500ms);
        return Failed{.message = "no ink"};
    });
    EXPECT_EQ(run(a_job("a").of_type("test"))->duration, 1500ms);
}

TEST_F(JobRunnerTest, A_job_is_running_while_its_handler_has_not_returned) {
    HeldJobPtr held;
    handle([&](const JobContext&) -> HandlerResult {
        EXPECT_TRUE(held->is_running);
        throw std::runtime_error("no ink");
    });
    held = hold(a_job("a").of_type("test"));
    EXPECT_FALSE(held->is_running);
    (void)run(held);
    EXPECT_FALSE(held->is_running);
}

/// Jobs that a node has died with.
class LostStarts : public JobRunnerTest {
protected:
    LostStarts() {
        handle([this](const JobContext&) -> HandlerResult {
            ++runs;
            return Succeeded{};
        });
    }

    static schema::Job after_lost_starts(int lost) {
        schema::Job job = a_job("a").of_type("test");
        job.lost_starts = lost;
        return job;
    }

    auto& expect_count() {
        return EXPECT_CALL(
            store,
            count_start(
                std::string_view("node-1"),
                persistence::Fence{.id = "a", .revision = 1},
                clock.now() + 1min
            )
        );
    }

    int runs = 0;
};

TEST_F(LostStarts, Without_one_a_start_costs_no_word_to_the_database) {
    EXPECT_EQ(run(after_lost_starts(0))->transition.reason, TransitionReason::completed);
    EXPECT_EQ(runs, 1);
}

TEST_F(LostStarts, A_further_start_is_counted_before_it_begins) {
    expect_count().WillOnce([this](auto, const auto&, auto) {
        EXPECT_EQ(runs, 0);
        return true;
    });
    EXPECT_EQ(run(after_lost_starts(1))->transition.reason, TransitionReason::completed);
    EXPECT_EQ(runs, 1);
}

TEST_F(LostStarts, The_last_start_that_it_may_lose_is_followed_by_no_wait) {
    EXPECT_CALL(store, count_start(testing::_, testing::_, clock.now()))
        .WillOnce(testing::Return(true));
    EXPECT_EQ(run(after_lost_starts(2))->transition.reason, TransitionReason::completed);
}

TEST_F(LostStarts, A_job_is_left_alone_for_longer_the_more_it_has_lost) {
    EXPECT_EQ(suspect_wait(1s, 1), 10s);
    EXPECT_EQ(suspect_wait(30s, 1), 1min);
    EXPECT_EQ(suspect_wait(30s, 2), 4min);
    EXPECT_EQ(suspect_wait(30s, 3), 16min);
    EXPECT_EQ(suspect_wait(24h, 1000), 1h);
}

TEST_F(LostStarts, A_job_that_has_lost_too_many_is_not_started_again) {
    for (const int lost : {3, 4, 1000}) {
        const schema::Transition to = run(after_lost_starts(lost))->transition;
        EXPECT_EQ(to.to, JobPlace::dead_letter);
        EXPECT_EQ(to.reason, TransitionReason::crash_loop);
        EXPECT_EQ(to.attempts, 0) << "no handler has failed";
        EXPECT_NE(to.failure->message.find(std::to_string(lost) + " times"), std::string::npos);
    }
    EXPECT_EQ(runs, 0);
}

TEST_F(LostStarts, A_start_that_cannot_be_counted_because_the_lock_is_lost_does_not_happen) {
    expect_count().WillOnce(testing::Return(false));
    EXPECT_EQ(run(after_lost_starts(1))->transition.reason, TransitionReason::released);
    EXPECT_EQ(runs, 0);
}

TEST_F(LostStarts, A_start_that_the_database_cannot_count_is_put_off) {
    using persistence::DbErrorKind;
    expect_count().WillOnce(testing::Throw(persistence::DbError(DbErrorKind::unreachable, "gone")));
    EXPECT_EQ(run(after_lost_starts(1))->transition.reason, TransitionReason::interrupted);
    EXPECT_EQ(runs, 0);
}

TEST_F(LostStarts, A_job_that_cannot_run_here_is_given_back_uncounted) {
    schema::Job job = after_lost_starts(2);
    job.handler_type = "somebody-elses";
    EXPECT_EQ(run(job)->transition.reason, TransitionReason::released);
}

}  // namespace
}  // namespace jobstrand::executor
