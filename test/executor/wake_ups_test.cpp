#include "executor/loop/wake_ups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace jobstrand::executor {
namespace {

using testing::ElementsAre;

class WakeUpsTest : public testing::Test {
protected:
    WakeUpsTest() {
        wake_ups.sleepers = {
            .acquisition = [this] { woken.emplace_back("acquisition"); },
            .acquisition_beside = [this] { woken.emplace_back("acquisition beside"); },
            .timers_without_room = [this] { woken.emplace_back("timers without room"); },
            .timer_mover =
                [this](schema::TimePoint due) {
                    woken.emplace_back("timer mover");
                    told_due = due;
                },
            .timers_of_others = [this] { woken.emplace_back("timers of others"); },
            .timers_beside = [this] { woken.emplace_back("timers beside"); },
            .completion = [this] { woken.emplace_back("completion"); },
            .completion_beside = [this] { woken.emplace_back("completion beside"); },
            .groups = [this] { woken.emplace_back("groups"); },
            .limits = [this] { woken.emplace_back("limits"); },
            .listener = [this] { woken.emplace_back("listener"); },
            .unserved = [this] { woken.emplace_back("unserved"); },
            .external_workers = [this] { woken.emplace_back("external workers"); },
            .dead_nodes = [this] { woken.emplace_back("dead nodes"); },
        };
    }

    WakeUps wake_ups;
    std::vector<std::string> woken;
    schema::TimePoint told_due;
};

TEST_F(WakeUpsTest, Each_sleeper_is_woken_by_what_it_waits_for) {
    wake_ups.jobs_are_there();
    wake_ups.backlog_is_there();
    wake_ups.due_timers_pile_up();
    wake_ups.outcomes_wait();
    wake_ups.outcomes_pile_up();
    wake_ups.groups_ended();
    wake_ups.limited_ended();
    wake_ups.announcement_waits();
    wake_ups.jobs_are_unserved();
    wake_ups.external_jobs_are_there();
    wake_ups.nodes_may_be_dead();
    EXPECT_THAT(
        woken,
        ElementsAre(
            "acquisition",
            "acquisition beside",
            "timers beside",
            "completion",
            "completion beside",
            "groups",
            "limits",
            "listener",
            "unserved",
            "external workers",
            "dead nodes"
        )
    );
}

TEST_F(WakeUpsTest, Room_is_for_timers_and_for_free_jobs) {
    wake_ups.room_became_free();
    EXPECT_THAT(woken, ElementsAre("timers without room", "acquisition"));
}

TEST_F(WakeUpsTest, The_timer_mover_is_told_when_a_timer_is_due) {
    const schema::TimePoint due{std::chrono::hours(17)};
    wake_ups.timer_was_stored(due);
    EXPECT_THAT(woken, ElementsAre("timer mover"));
    EXPECT_EQ(told_due, due);
}

TEST_F(WakeUpsTest, What_others_enqueued_may_be_a_job_or_a_timer) {
    wake_ups.others_enqueued();
    EXPECT_THAT(woken, ElementsAre("timers of others", "acquisition", "external workers"));
}

TEST(WakeUps, What_nobody_sleeps_for_is_told_to_nobody) {
    const WakeUps wake_ups;
    wake_ups.others_enqueued();
    wake_ups.outcomes_wait();
    wake_ups.announcement_waits();
}

}  // namespace
}  // namespace jobstrand::executor
