#include "schema/job_transition.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace jobstrand::schema {
namespace {

using test::a_job;

constexpr TimePoint kDue{std::chrono::hours{1}};

TEST(OperatorTransition, A_job_that_is_postponed_waits_as_a_timer_and_keeps_all_else) {
    const Transition transition = postponed(a_job("a").with_retries(2), kDue);
    EXPECT_EQ(transition.to, JobPlace::timer);
    EXPECT_EQ(transition.reason, TransitionReason::postponed);
    EXPECT_EQ(transition.due_date, kDue);
    EXPECT_EQ(transition.retries, 2);
}

TEST(OperatorTransition, A_timer_that_is_fired_by_hand_goes_where_it_would_when_it_falls_due) {
    for (const std::string_view type : {kMessageType, kTimerType, kExternalWorkerType}) {
        const Job timer = a_job("a").of_kind(type).due_at(kDue);
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

}  // namespace
}  // namespace jobstrand::schema
