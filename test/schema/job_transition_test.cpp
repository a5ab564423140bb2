#include "schema/job_transition.hpp"

#include "schema/limits.hpp"
#include "schema/series_transition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::schema {

namespace {

using test::a_job;
using testing::EndsWith;
using testing::StartsWith;
using namespace std::chrono_literals;

constexpr TimePoint kNow = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20} + 10h;
constexpr TimePoint kEarlier = kNow - 1h;
constexpr TimePoint kLater = kNow + 1h;

const JobFailure kFailure{"it broke", "at line 1", true, std::nullopt};

/// What persistence does with a transition, as far as the state machine looks at it.
Job applied(Job job, const Transition& transition) {
    job.due_date = transition.due_date;
    job.retries = transition.retries;
    job.attempts = transition.attempts;
    job.suspended_from = transition.suspended_from;
    return job;
}

/// Where a job goes and what it keeps: `timer retry, retries 2, attempts 1, due +10000` (ms from
/// now); `gone` if the row is deleted.
std::string told(const Transition& transition) {
    std::string text(transition.to ? name_of(*transition.to) : "gone");
    text += ' ' + std::string(name_of(transition.reason)) + ", retries " +
            std::to_string(transition.retries) + ", attempts " +
            std::to_string(transition.attempts);
    if (transition.due_date) {
        const auto from_now = (*transition.due_date - kNow).count();
        text += ", due " + std::string(from_now < 0 ? "" : "+") + std::to_string(from_now);
    }
    return text;
}

Transition failed_now(const Job& job, const RetryPolicy& policy = {}) {
    return failed(job, kFailure, policy, kNow);
}

RetryPolicy with_cycle(std::string_view text) {
    RetryPolicy policy;
    policy.cycle = parse_retry_cycle(text).value();
    return policy;
}

/// Fails a job until it is a dead letter, at most 20 times; the waits before each next attempt.
std::vector<Duration> waits_until_dead(Job job, const RetryPolicy& policy = {}) {
    std::vector<Duration> waits;
    Transition transition = failed_now(job, policy);
    for (; transition.to == JobPlace::timer && waits.size() < 20;
         transition = failed_now(job, policy)) {
        waits.push_back(transition.due_date.value() - kNow);
        job = applied(job, transition);
    }
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    return waits;
}

// R108
TEST(JobTransition, A_completed_job_is_gone) {
    const Transition transition = completed(a_job("a"));
    EXPECT_EQ(transition.to, std::nullopt);
    EXPECT_EQ(transition.reason, TransitionReason::completed);
}

// R061, R073, R157: it waits as a timer, by its due date; the lock is cleared by the move.
TEST(JobTransition, A_failed_job_waits_as_a_timer_with_one_retry_fewer) {
    const Transition transition = failed_now(a_job("a").with_retries(3));
    EXPECT_EQ(told(transition), "timer retry, retries 2, attempts 1, due +10000");
    EXPECT_EQ(transition.failure, kFailure);
}

// R062, R166: three attempts in all.
TEST(JobTransition, A_job_without_a_cycle_runs_three_times) {
    EXPECT_EQ(waits_until_dead(a_job("a")), (std::vector<Duration>{10s, 10s}));
}

// R063, R158
TEST(JobTransition, The_last_failure_makes_a_dead_letter) {
    const Transition transition =
        failed_now(a_job("a").with_retries(1).after_attempts(2).due_at(kEarlier));
    EXPECT_EQ(told(transition), "dead retries_exhausted, retries 0, attempts 3, due -3600000");
    EXPECT_EQ(transition.failure, kFailure);
}

TEST(JobTransition, A_job_that_had_no_retries_left_and_ran_by_hand_becomes_a_dead_letter) {
    const Transition transition = failed_now(a_job("a").with_retries(0));
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    EXPECT_EQ(transition.retries, 0);
}

// R068
TEST(JobTransition, The_configured_cycle_sets_attempts_and_waits) {
    EXPECT_EQ(
        waits_until_dead(a_job("a"), with_cycle("R5/PT5M")),
        (std::vector<Duration>{5min, 5min, 5min, 5min})
    );
}

// R069, R070, R076: the job's own cycle wins.
TEST(JobTransition, The_jobs_own_cycle_wins_over_the_configured_one) {
    EXPECT_EQ(
        waits_until_dead(a_job("a").with_retry_cycle("R3/PT5S"), with_cycle("R5/PT5M")),
        (std::vector<Duration>{5s, 5s})
    );
}

// R074
TEST(JobTransition, A_list_waits_each_of_its_intervals_in_turn) {
    EXPECT_EQ(
        waits_until_dead(a_job("a").with_retry_cycle("PT10M,PT17M,PT20M")),
        (std::vector<Duration>{10min, 17min, 20min})
    );
}

// R075
TEST(JobTransition, The_fourth_failure_of_a_list_of_three_is_dead_and_still_moves_the_due_date) {
    const Transition transition = failed_now(
        a_job("a").with_retry_cycle("PT10M,PT17M,PT20M").with_retries(1).after_attempts(3)
    );
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    EXPECT_EQ(transition.due_date, kNow + 20min);
}

// R077
TEST(JobTransition, Retries_raised_above_a_list_wait_its_first_interval_first) {
    const Job raised =
        a_job("a").with_retry_cycle("PT10M,PT17M,PT20M").with_retries(6).after_attempts(1);
    EXPECT_EQ(waits_until_dead(raised), (std::vector<Duration>{10min, 10min, 10min, 17min, 20min}));
}

TEST(JobTransition, Retries_set_explicitly_are_not_replaced_by_the_cycle) {
    const RetryPolicy policy = with_cycle("R5/PT5M");
    EXPECT_EQ(waits_until_dead(a_job("a").with_retries(2), policy), std::vector<Duration>{5min});
    EXPECT_EQ(waits_until_dead(a_job("a").with_retries(9), policy).size(), 8U);
}

// An empty message must not make every failure look like the first one: that would never end.
TEST(JobTransition, The_first_failure_is_known_by_the_attempts_and_not_by_the_message) {
    Job job = a_job("a");
    const JobFailure silent;
    int runs = 1;
    for (Transition next = failed(job, silent, with_cycle("R3/PT1S"), kNow);
         next.to == JobPlace::timer && runs < 10;
         next = failed(job, silent, with_cycle("R3/PT1S"), kNow)) {
        job = applied(job, next);
        ++runs;
    }
    EXPECT_EQ(runs, 3);
}

TEST(JobTransition, A_cycle_that_gives_the_default_number_of_attempts_is_applied_once) {
    const Job after_first =
        a_job("a").with_retry_cycle("R7/PT1S").with_retries(3).after_attempts(4);
    EXPECT_EQ(failed_now(after_first).retries, 2);
}

TEST(JobTransition, A_failure_that_is_not_retryable_makes_a_dead_letter_at_once) {
    JobFailure failure = kFailure;
    failure.retryable = false;
    const Transition transition = failed(
        a_job("a").with_retries(3).with_retry_cycle("R5/PT5M").due_at(kEarlier), failure, {}, kNow
    );
    EXPECT_EQ(told(transition), "dead not_retryable, retries 0, attempts 1, due -3600000");
}

// R081, R109: with the wait counted from now, so that an overdue timer does not fire again at once.
TEST(JobTransition, Without_a_cycle_the_wait_depends_on_the_type) {
    const std::pair<std::string_view, Duration> rows[]{
        {kMessageType, 7s},
        {kTimerType, 20s},
        {kExternalWorkerType, 7s},
    };
    RetryPolicy policy;
    policy.message_wait = 7s;
    policy.timer_wait = 20s;
    for (const auto& [type, wait] : rows) {
        const Transition transition = failed_now(a_job("a").of_kind(type).due_at(kEarlier), policy);
        EXPECT_EQ(transition.due_date, kNow + wait) << type;
    }
}

TEST(JobTransition, The_handlers_own_wish_wins_over_every_wait) {
    JobFailure failure = kFailure;
    failure.retry_after = 42s;
    for (const auto* cycle : {"", "R5/PT5M", "PT10M,PT17M"}) {
        const Transition transition =
            failed(a_job("a").with_retry_cycle(cycle), failure, with_cycle("R9/PT9M"), kNow);
        EXPECT_EQ(transition.to, JobPlace::timer) << cycle;
        EXPECT_EQ(transition.due_date, kNow + 42s) << cycle;
    }
}

TEST(JobTransition, A_wait_never_leads_into_the_past_nor_beyond_what_columns_hold) {
    struct Row {
        Duration wish;
        TimePoint due;
    };
    for (const Row& row : {
             Row{-1h, kNow},
             Row{Duration::min(), kNow},
             Row{Duration::max(), kLatestInstant},
         }) {
        JobFailure failure = kFailure;
        failure.retry_after = row.wish;
        EXPECT_EQ(failed(a_job("a"), failure, {}, kNow).due_date, row.due);
        EXPECT_EQ(interrupted(a_job("a"), row.wish, kNow).due_date, row.due);
    }
}

TEST(JobTransition, An_unreadable_cycle_counts_as_none_and_the_message_says_so) {
    const Transition transition = failed_now(a_job("a").with_retry_cycle("R3/5M"));
    EXPECT_EQ(told(transition), "timer retry, retries 2, attempts 1, due +10000");
    ASSERT_TRUE(transition.failure);
    EXPECT_EQ(
        transition.failure->message,
        "it broke (its retry cycle 'R3/5M' is ignored: expected a duration such as PT30S or "
        "P1DT12H at position 3)"
    );
}

TEST(JobTransition, A_long_message_makes_room_for_the_complaint_about_the_cycle) {
    JobFailure failure = kFailure;
    failure.message = std::string(limits::kExceptionMessageLength, 'm');
    const Job job = a_job("a").with_retry_cycle(std::string(10'000, 'x'));
    const Transition transition = failed(job, failure, {}, kNow);
    EXPECT_THAT(transition.failure->message, StartsWith("mmm"));
    EXPECT_THAT(transition.failure->message, EndsWith("at position 0)"));
    EXPECT_LE(transition.failure->message.size(), limits::kExceptionMessageLength);
}

TEST(JobTransition, With_an_unreadable_cycle_the_configured_one_applies) {
    EXPECT_EQ(
        waits_until_dead(a_job("a").with_retry_cycle("never"), with_cycle("R2/PT1M")),
        (std::vector<Duration>{1min})
    );
}

TEST(JobTransition, A_cycle_in_calendar_months_is_counted_from_now) {
    const Transition transition = failed_now(a_job("a").with_retry_cycle("R3/P1M"));
    EXPECT_EQ(transition.due_date, parse_instant("2026-12-20T10:00Z").value());
}

// I5
TEST(JobTransition, A_due_timer_that_is_given_back_is_a_timer_again_and_keeps_everything) {
    const Job job = a_job("a").with_retries(2).after_attempts(1).due_at(kEarlier);
    Transition as_released = released(job);
    as_released.to = JobPlace::timer;
    EXPECT_EQ(given_back(job, kNow), as_released);
}

TEST(JobTransition, Any_other_job_that_is_given_back_is_executable_again) {
    Job suspect = a_job("a").due_at(kEarlier);
    suspect.lost_starts = 1;
    EXPECT_EQ(given_back(suspect, kNow), released(suspect));
    EXPECT_EQ(given_back(a_job("a"), kNow), released(a_job("a")));
}

TEST(JobTransition, A_released_job_is_executable_again_and_keeps_everything) {
    const Transition transition =
        released(a_job("a").with_retries(2).after_attempts(1).due_at(kEarlier));
    EXPECT_EQ(told(transition), "executable released, retries 2, attempts 1, due -3600000");
    EXPECT_EQ(transition.failure, std::nullopt);
}

// R064, I5
TEST(JobTransition, An_interrupted_job_waits_and_uses_no_retry) {
    const Transition transition =
        interrupted(a_job("a").with_retries(1).after_attempts(2), 5s, kNow);
    EXPECT_EQ(told(transition), "timer interrupted, retries 1, attempts 2, due +5000");
    EXPECT_EQ(transition.failure, std::nullopt);
}

// R151
TEST(JobTransition, A_timer_that_fell_due_becomes_executable_and_keeps_its_due_date) {
    EXPECT_EQ(
        told(fell_due(a_job("a").of_kind(kTimerType).with_retries(2).due_at(kEarlier))),
        "executable fell_due, retries 2, attempts 0, due -3600000"
    );
}

TEST(JobTransition, An_external_workers_job_that_fell_due_goes_to_the_external_place) {
    EXPECT_EQ(fell_due(a_job("a").of_kind(kExternalWorkerType)).to, JobPlace::external_worker);
}

// R034, R159
TEST(JobTransition, A_suspended_job_comes_back_where_it_was_with_its_wait) {
    for (const JobPlace from : {JobPlace::timer, JobPlace::executable, JobPlace::external_worker}) {
        const Job job = a_job("a").with_retries(2).after_attempts(1).due_at(kLater);
        const Transition away = suspended(job, from);
        EXPECT_EQ(away.to, JobPlace::suspended);
        EXPECT_EQ(away.reason, TransitionReason::suspended);
        EXPECT_EQ(away.suspended_from, name_of(from));

        const Transition back = activated(applied(job, away));
        EXPECT_EQ(back.to, from);
        EXPECT_THAT(told(back), EndsWith(" activated, retries 2, attempts 1, due +3600000"));
        EXPECT_EQ(back.suspended_from, "");
    }
}

TEST(JobTransition, A_job_that_flowable_suspended_goes_back_by_its_type) {
    struct Row {
        std::string_view type;
        std::string_view suspended_from;
        JobPlace to;
    };
    const std::vector<Row> rows{
        {kMessageType, "", JobPlace::executable},
        {kTimerType, "", JobPlace::timer},
        {kExternalWorkerType, "", JobPlace::external_worker},
        {kTimerType, "executable", JobPlace::executable},
        {kTimerType, "dead", JobPlace::timer},
        {kMessageType, "nowhere", JobPlace::executable},
    };
    for (const Row& row : rows) {
        Job job = a_job("a").of_kind(row.type);
        job.suspended_from = row.suspended_from;
        EXPECT_EQ(activated(job).to, row.to) << row.type << ' ' << row.suspended_from;
    }
}

// R078
TEST(JobTransition, A_requeued_dead_letter_goes_where_its_due_date_and_type_say) {
    struct Row {
        std::string_view type;
        std::optional<TimePoint> due;
        JobPlace to;
    };
    const std::vector<Row> rows{
        {kMessageType, std::nullopt, JobPlace::executable},
        {kTimerType, std::nullopt, JobPlace::executable},
        {kExternalWorkerType, std::nullopt, JobPlace::external_worker},
        {kMessageType, kEarlier, JobPlace::executable},
        {kMessageType, kNow, JobPlace::executable},
        {kMessageType, kLater, JobPlace::timer},
        {kExternalWorkerType, kLater, JobPlace::timer},
    };
    for (const Row& row : rows) {
        const Job job = a_job("a").of_kind(row.type).with_retries(0).due_at(kEarlier);
        const Transition transition = requeued(job, 2, row.due, kNow);
        EXPECT_EQ(transition.to, row.to);
        EXPECT_EQ(transition.due_date, row.due.value_or(kNow)) << "it could not run before";
        EXPECT_EQ(transition.reason, TransitionReason::requeued);
        EXPECT_EQ(transition.retries, 2);
    }
}

TEST(JobTransition, A_requeued_job_keeps_its_attempts_so_that_its_cycle_is_not_applied_again) {
    const Job dead = a_job("a").with_retry_cycle("R5/PT5M").with_retries(0).after_attempts(5);
    const Job again = applied(dead, requeued(dead, 3, std::nullopt, kNow));
    EXPECT_EQ(again.attempts, 5);
    EXPECT_EQ(failed_now(again).retries, 2);
}

TEST(JobTransition, Every_reason_has_a_word_of_its_own) {
    for (int i = 0; i <= static_cast<int>(TransitionReason::unreadable); ++i) {
        EXPECT_FALSE(name_of(static_cast<TransitionReason>(i)).empty()) << i;
    }
    EXPECT_EQ(name_of(TransitionReason::retries_exhausted), "retries_exhausted");
}

TEST(JobTransitionDeathTest, Mistakes_of_the_caller_stop_the_program) {
    EXPECT_DEATH((void)suspended(a_job("a"), JobPlace::dead_letter), "can_be_suspended");
    EXPECT_DEATH((void)requeued(a_job("a"), 0, std::nullopt, kNow), "retries >= 1");
}

// I7
TEST(ReturnedJobTransition, A_job_whose_node_lacks_something_stays_and_says_what_it_needs) {
    const Transition transition =
        not_served(a_job("a").with_retries(2).after_attempts(1).due_at(kEarlier), "[commands.a]");
    EXPECT_EQ(told(transition), "executable not_served, retries 2, attempts 1, due -3600000");
    EXPECT_EQ(transition.needs, "[commands.a]");
    EXPECT_EQ(transition.failure, std::nullopt);
}

// I5
TEST(
    ReturnedJobTransition,
    A_job_that_ends_its_processes_is_a_dead_letter_without_an_attempt_more
) {
    Job job = a_job("a").with_retries(2).after_attempts(1).due_at(kEarlier);
    job.lost_starts = 7;
    const Transition transition = crash_loop(job, kEarlier);
    EXPECT_EQ(told(transition), "dead crash_loop, retries 0, attempts 1, due -3600000");
    EXPECT_EQ(transition.failed_time, kEarlier);
    ASSERT_TRUE(transition.failure);
    EXPECT_FALSE(transition.failure->retryable);
    EXPECT_EQ(
        transition.failure->message,
        "the process that held it ended 7 times in a row without an outcome, the last time while "
        "it "
        "ran and no other suspected job did: it is not started again"
    );
}

TEST(CancelledJobTransition, A_cancelled_job_is_a_dead_letter_without_a_failed_attempt) {
    const Job job = a_job("a").after_attempts(1);
    const Transition transition = cancelled(job, std::string(5000, 'x'), kEarlier);
    EXPECT_THAT(told(transition), StartsWith("dead cancelled, retries 0, attempts 1"));
    EXPECT_EQ(transition.failed_time, kEarlier);
    EXPECT_EQ(transition.failure->message.size(), limits::kExceptionMessageLength);
}

// R063
TEST(
    GivenUpJobTransition,
    A_job_without_retries_is_a_dead_letter_that_keeps_what_its_failure_said
) {
    Job failed = a_job("a").after_attempts(2);
    failed.exception_message = "no paper";
    const Transition transition = given_up(failed, kEarlier);
    EXPECT_THAT(told(transition), StartsWith("dead given_up, retries 0, attempts 2"));
    EXPECT_EQ(transition.failed_time, kEarlier);
    EXPECT_FALSE(transition.failure);
    const Transition never_failed = given_up(a_job("b"), kEarlier);
    ASSERT_TRUE(never_failed.failure);
    EXPECT_EQ(never_failed.failure->message, "its retries were set to 0");
}

TEST(WorkerTransition, Whoever_says_how_many_attempts_are_left_is_believed) {
    JobFailure failure{.message = "m"};
    for (const auto* cycle : {"", "R5/PT5M"}) {
        const Job job = a_job("a").with_retry_cycle(cycle);
        failure.retries_left = 9;
        EXPECT_THAT(told(failed(job, failure, {}, kNow)), StartsWith("timer retry, retries 9"))
            << cycle;
        failure.retries_left = 0;
        EXPECT_EQ(failed(job, failure, {}, kNow).to, JobPlace::dead_letter) << cycle;
    }
}

TEST(WorkerTransition, What_a_worker_hands_on_goes_to_the_app_with_retries_of_its_own) {
    Job job = a_job("a").of_kind(kExternalWorkerType).after_attempts(2).due_at(kEarlier);
    job.exception_message = "earlier";
    const Transition transition = handed_on(job, "{}", 5);
    EXPECT_EQ(told(transition), "executable handed_on, retries 5, attempts 0");
    EXPECT_EQ(transition.outcome, "{}");
    EXPECT_EQ(transition.failure, JobFailure{});
}

TEST(WorkerTransition, To_its_series_a_turn_that_is_handed_on_has_completed) {
    Job turn = a_job("a").of_kind(kExternalWorkerType);
    turn.repeat = "R/PT1H";
    turn.series = "s";
    Series running{.key = "s"};
    running.state = SeriesState::running;
    running.next_fire = kNow + 1h;
    running.turn_id = "a";
    EXPECT_TRUE(concerns_series(turn, TransitionReason::handed_on));
    const auto result =
        series_transition(&running, turn, handed_on(turn, "{}", 3), std::nullopt, kNow);
    ASSERT_TRUE(result.next_turn);
    EXPECT_EQ(result.next_turn->due_date, kNow + 1h);
    EXPECT_EQ(result.next_turn->type, kExternalWorkerType);
    EXPECT_FALSE(result.still_carries);
}

TEST(OperatorTransition, A_job_that_is_postponed_waits_as_a_timer_and_keeps_all_else) {
    EXPECT_EQ(
        told(postponed(a_job("a").with_retries(2), kLater)),
        "timer postponed, retries 2, attempts 0, due +3600000"
    );
}

TEST(OperatorTransition, A_timer_that_is_fired_by_hand_goes_where_it_would_when_it_falls_due) {
    for (const std::string_view type : {kMessageType, kTimerType, kExternalWorkerType}) {
        const Job timer = a_job("a").of_kind(type).due_at(kLater);
        EXPECT_EQ(fired(timer).to, fell_due(timer).to);
        EXPECT_EQ(fired(timer).reason, TransitionReason::fired);
    }
}

TEST(OperatorTransition, A_job_that_is_removed_or_let_go_is_gone) {
    EXPECT_EQ(removed(a_job("a")).to, std::nullopt);
    EXPECT_EQ(removed(a_job("a")).reason, TransitionReason::removed);
    EXPECT_EQ(let_go(a_job("a")).to, std::nullopt);
    EXPECT_EQ(let_go(a_job("a")).reason, TransitionReason::let_go);
}

TEST(OperatorTransition, A_suspension_decides_about_suspending_activating_and_falling_due) {
    const Job job = a_job("a").of_kind(kTimerType);
    Job turn = job;
    turn.repeat = "R/PT1H";
    struct Row {
        Transition transition;
        const Job& job;
        bool is_suspended;
        std::optional<Transition> left;
    };
    const std::vector<Row> rows{
        {suspended(job, JobPlace::timer), job, true, suspended(job, JobPlace::timer)},
        {suspended(job, JobPlace::timer), job, false, std::nullopt},
        {activated(job), job, true, std::nullopt},
        {activated(job), job, false, activated(job)},
        {fell_due(job), job, true, fell_due(job)},
        {fell_due(turn), turn, false, fell_due(turn)},
        {fell_due(turn), turn, true, suspended(turn, JobPlace::timer)},
        {fired(turn), turn, true, fired(turn)},
        {completed(turn), turn, true, completed(turn)},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(with_suspension(row.job, row.transition, row.is_suspended), row.left)
            << name_of(row.transition.reason) << ' ' << row.is_suspended;
    }
}

TEST(OperatorTransition, Suspendable_are_the_places_that_jobs_leave_by_themselves) {
    for (const JobPlace place : kJobPlaces) {
        const bool can_leave = place != JobPlace::suspended && place != JobPlace::dead_letter;
        EXPECT_EQ(can_be_suspended(place), can_leave) << name_of(place);
    }
}

TEST(BurialTransition, A_job_whose_id_is_taken_keeps_what_it_had_to_say) {
    const Transition silent = id_taken(a_job("a"), JobPlace::timer, kNow);
    EXPECT_EQ(silent.to, JobPlace::dead_letter);
    EXPECT_EQ(silent.failure->message, "another job with this id stands in ACT_RU_TIMER_JOB");
    Job failed_before = a_job("a");
    failed_before.exception_message = std::string(limits::kExceptionMessageLength, 'x');
    const Transition cut = id_taken(failed_before, JobPlace::executable, kNow);
    EXPECT_THAT(
        cut.failure->message,
        testing::StartsWith("another job with this id stands in ACT_RU_JOB; xxx")
    );
    EXPECT_EQ(cut.failure->message.size(), limits::kExceptionMessageLength);
}

TEST(BurialTransition, A_job_whose_row_cannot_be_read_dies_with_all_that_it_has) {
    Job job = a_job("a").with_retries(4).after_attempts(1).due_at(kEarlier);
    job.repeat = "R/PT1H";
    job.exception_message = "RETRIES_ \"many\" is not an integer";
    const Transition transition = unreadable(job, kNow);
    EXPECT_EQ(transition.to, JobPlace::dead_letter);
    EXPECT_EQ(transition.reason, TransitionReason::unreadable);
    EXPECT_EQ(transition.due_date, kEarlier);
    EXPECT_EQ(transition.failed_time, kNow);
    EXPECT_EQ(transition.attempts, 1);
    EXPECT_EQ(transition.failure, std::nullopt);
}

TEST(BurialTransition, Only_the_last_failure_has_a_time_of_death) {
    const JobFailure failure{.message = "no"};
    const auto fails = [&](const Job& job) { return failed(job, failure, {}, kNow); };
    EXPECT_EQ(fails(a_job("a").with_retries(2)).failed_time, std::nullopt);
    EXPECT_EQ(fails(a_job("a").with_retries(1)).failed_time, kNow);
}

}  // namespace

}  // namespace jobstrand::schema
