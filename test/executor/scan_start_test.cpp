#include "executor/loop/scan_start.hpp"

#include "executor/cleaning.hpp"
#include "executor/expired_lock_reset.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/job_passing.hpp"
#include "executor/loop/shared_looks.hpp"
#include "executor/served_here.hpp"
#include "schema/clock.hpp"
#include "schema/uuid7.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::IdleView;
using testing::_;
using testing::ElementsAre;
using testing::Return;
using namespace std::chrono_literals;
using Jobs = std::vector<schema::Job>;

AcquisitionPace a_pace(std::uint32_t seed = 1) {
    return AcquisitionPace({.first = 10ms, .idle_max = 1000ms}, seed);
}

// R057 R058
TEST(AcquisitionPace, Waits_grow_with_the_idle_time_from_the_first_wait_to_the_maximum) {
    AcquisitionPace pace = a_pace();
    schema::Duration idle{0};
    for (int poll = 0; poll < 200; ++poll) {
        const schema::Duration wait = pace.next_wait(0);
        EXPECT_LE(wait, std::clamp<schema::Duration>(idle / 14, 10ms, 1000ms));
        EXPECT_GE(wait, std::clamp<schema::Duration>(idle / 16, 10ms, 1000ms) * 9 / 10);
        idle += wait;
    }
    EXPECT_GE(pace.next_wait(0), 900ms);
}

// R170
TEST(AcquisitionPace, A_pass_that_found_work_is_followed_at_once) {
    AcquisitionPace pace = a_pace();
    (void)pace.next_wait(0);
    EXPECT_TRUE(pace.is_idle());
    EXPECT_EQ(pace.next_wait(3), 0ms);
    EXPECT_FALSE(pace.is_idle());
    EXPECT_LE(pace.next_wait(0), 10ms);
}

TEST(AcquisitionPace, Nodes_with_other_seeds_do_not_poll_in_step) {
    AcquisitionPace one = a_pace(7);
    AcquisitionPace other = a_pace(8);
    bool differ = false;
    for (int i = 0; i < 50; ++i) {
        differ = differ || one.next_wait(0) != other.next_wait(0);
    }
    EXPECT_TRUE(differ);
}

TEST(AcquisitionPace, An_idle_node_polls_about_once_a_second) {
    AcquisitionPace pace = a_pace();
    while (pace.next_wait(0) < 900ms) {
    }
    schema::Duration time{0};
    for (int polls = 0; polls < 100; ++polls) {
        time += pace.next_wait(0);
    }
    EXPECT_GT(time, 90s);
}

TEST(BacklogCursorTest, It_begins_at_the_start) {
    const BacklogCursor<std::string> cursor;
    EXPECT_TRUE(cursor.is_at_start());
    EXPECT_EQ(cursor.position(), "");
}

TEST(BacklogCursorTest, A_full_page_is_followed_by_what_stands_behind_it) {
    BacklogCursor<std::string> cursor;
    cursor.advance(100, 100, "m");
    EXPECT_FALSE(cursor.is_at_start());
    EXPECT_EQ(cursor.position(), "m");
}

TEST(BacklogCursorTest, A_page_that_is_not_full_ends_the_backlog) {
    BacklogCursor<std::string> cursor;
    cursor.advance(100, 100, "m");
    cursor.advance(99, 100, "z");
    EXPECT_TRUE(cursor.is_at_start());
}

TEST(BacklogCursorTest, One_page_in_sixteen_is_taken_from_the_start) {
    BacklogCursor<std::string> cursor;
    int from_the_start = 0;
    for (int page = 0; page < 160; ++page) {
        from_the_start += cursor.is_at_start() ? 1 : 0;
        cursor.advance(100, 100, "m");
    }
    EXPECT_EQ(from_the_start, 10);
}

class ScanStartTest : public testing::Test {
protected:
    /// A look that takes so long and ends with this row; returns where it began.
    std::string look(FullLooks::Time took, std::string end) {
        const Look look = start.begin(clock);
        start.end(look, took, std::move(end));
        return look.behind;
    }

    schema::ManualClock clock;
    ScanStart start;
};

TEST_F(ScanStartTest, A_cheap_look_is_a_full_one_but_within_a_backlog) {
    EXPECT_EQ(look(1ms, {}), "");
    EXPECT_EQ(look(5ms, "m"), "");
    EXPECT_EQ(look(5ms, {}), "m");
    EXPECT_EQ(look(5ms, {}), "");
}

TEST_F(ScanStartTest, Behind_the_end_of_the_table_it_begins_a_little_before_the_last_look) {
    (void)look(6ms, {});
    const schema::TimePoint last = clock.now();
    clock.tick(119ms);
    schema::Uuid7Source ids;
    const std::string behind = look(1ms, {});
    EXPECT_LT(ids.next(last - kUsualCommit - 1ms), behind);
    EXPECT_GT(ids.next(last - kUsualCommit), behind);
    clock.tick(1ms);
    EXPECT_EQ(look(6ms, {}), "") << "20 times the cost of the last full look are over";
}

TEST_F(ScanStartTest, A_backlog_is_looked_at_from_the_oldest_every_sixteen_pages) {
    int full_looks = 0;
    for (int page = 0; page < 160; ++page) {
        full_looks += look(1ms, "m").empty() ? 1 : 0;
    }
    EXPECT_EQ(full_looks, 10);
}

TEST_F(
    ScanStartTest,
    Many_nodes_together_take_no_more_time_for_full_looks_than_one_second_in_each
) {
    struct Case {
        std::size_t nodes_beside;
        schema::Duration took;
        schema::Duration next;  // Full look.
    };
    // Within a backlog there is one every two seconds at most.
    for (const auto& [beside, took, next] : std::initializer_list<Case>{
             {0, 50ms, 2s}, {39, 50ms, 2s}, {99, 50ms, 5s}, {999, 17ms, 17s}, {999, 1s, 1min}}) {
        ScanStart many;
        many.are_beside(beside);
        many.end(many.begin(clock), took, "m");
        clock.tick(next - 1ms);
        EXPECT_FALSE(many.is_full_look_due(clock.steady_now())) << beside;
        clock.tick(1ms);
        EXPECT_TRUE(many.is_full_look_due(clock.steady_now())) << beside;
    }
}

TEST_F(ScanStartTest, Goes_back_once_to_a_row_that_it_could_not_decide_about) {
    (void)look(1s, "c1");
    (void)look(1ms, "m1");
    start.go_back_to("d1");
    EXPECT_EQ(look(1ms, "e1"), "d");
    EXPECT_EQ(look(1ms, "p1"), "m1");
}

TEST_F(ScanStartTest, Goes_back_behind_the_end_of_the_table_too) {
    (void)look(1s, "c1");
    (void)look(1ms, {});
    start.go_back_to("00d1");
    EXPECT_EQ(look(1ms, {}), "00d");
}

TEST_F(ScanStartTest, Goes_back_every_50_ms_at_most) {
    (void)look(1s, "c1");
    (void)look(1ms, "m1");
    start.go_back_to("d1");
    EXPECT_EQ(look(1ms, "e1"), "d");
    start.go_back_to("d1");
    clock.tick(49ms);
    EXPECT_EQ(look(1ms, "n1"), "m1");
    clock.tick(1ms);
    EXPECT_EQ(look(1ms, "e1"), "d");
}

TEST_F(ScanStartTest, A_look_beside_that_ends_later_does_not_forget_the_row) {
    (void)look(1s, "c1");
    const Look first = start.begin(clock);
    start.found(first, "m1");
    const auto beside = start.begin_beside(clock);
    start.end(first, 1ms, "m1");
    start.go_back_to("d1");
    start.end(beside.value(), 1ms, "p1");
    EXPECT_EQ(look(1ms, "e1"), "d");
}

TEST_F(ScanStartTest, A_look_that_only_asks_whether_there_is_anything_does_not_forget_the_row) {
    (void)look(1s, "c1");
    (void)look(1ms, "m1");
    start.go_back_to("d1");
    EXPECT_EQ(start.begin(clock).behind, "d");
    EXPECT_EQ(start.begin(clock).behind, "d");
}

TEST_F(ScanStartTest, Before_an_id_of_one_character_is_a_full_look_only) {
    (void)look(1ms, "c1");
    (void)look(1ms, "m1");
    start.go_back_to("7");
    EXPECT_EQ(start.begin_beside(clock).value().behind, "m1");
    EXPECT_EQ(look(1ms, "m1"), "");
}

TEST_F(
    ScanStartTest,
    When_it_costs_much_to_find_nothing_looks_end_a_day_ahead_for_twenty_times_as_long
) {
    (void)look(1s, {});
    (void)look(51ms, {});
    clock.tick(1019ms);
    const Look next = start.begin(clock);
    EXPECT_EQ(next.before, schema::first_uuid7(clock.now() + 24h));
    start.end(next, 1ms, {});
    clock.tick(1ms);
    EXPECT_EQ(start.begin(clock).before, "") << "ids that apps have made stand there";
}

TEST_F(
    ScanStartTest,
    A_look_that_finds_nothing_soon_is_followed_by_others_to_the_end_of_the_table
) {
    (void)look(1s, {});
    (void)look(50ms, {});
    EXPECT_EQ(start.begin(clock).before, "");
}

TEST_F(ScanStartTest, What_is_found_in_front_does_not_pay_for_what_stands_behind) {
    const std::string by_time = schema::Uuid7Source(1).next(clock.now());
    (void)look(1s, {});
    start.end(start.begin(clock), 51ms, {}, by_time);
    EXPECT_NE(start.begin(clock).before, "");
    clock.tick(1020ms);
    start.end(start.begin(clock), 51ms, {}, "order-17");
    EXPECT_EQ(start.begin(clock).before, "") << "there are such ids for this node";
}

TEST_F(ScanStartTest, In_a_backlog_of_ids_that_apps_have_made_it_goes_on_to_the_end) {
    (void)look(1s, {});
    (void)look(51ms, {});
    start.end(start.begin(clock), 1ms, "order-17");
    const Look next = start.begin(clock);
    EXPECT_EQ(next.behind, "order-17");
    EXPECT_EQ(next.before, "");
}

TEST_F(ScanStartTest, A_backlog_of_slow_jobs_is_looked_at_from_the_oldest_every_two_seconds) {
    (void)look(1ms, "m");
    clock.tick(1999ms);
    EXPECT_EQ(look(1ms, "m"), "m");
    clock.tick(1ms);
    EXPECT_EQ(look(1ms, "m"), "");
}

TEST_F(ScanStartTest, A_costly_full_look_is_followed_by_another_after_a_minute_at_the_latest) {
    (void)look(10min, "m");
    clock.tick(1min - 1ms);
    EXPECT_EQ(look(1ms, "m"), "m");
    clock.tick(1ms);
    EXPECT_EQ(look(1ms, "m"), "");
}

TEST_F(ScanStartTest, Beside_a_look_another_begins_behind_what_it_has_found_and_not_claimed) {
    (void)look(1ms, "m");
    const Look first = start.begin(clock);
    start.found(first, "p");
    EXPECT_EQ(start.begin_beside(clock)->behind, "p");
}

TEST_F(ScanStartTest, There_is_nothing_to_do_beside_a_look_without_a_backlog) {
    EXPECT_EQ(start.begin_beside(clock), std::nullopt);
    (void)look(1ms, "m");
    (void)look(1ms, {});
    EXPECT_EQ(start.begin_beside(clock), std::nullopt);
}

TEST_F(ScanStartTest, Of_two_looks_the_one_that_went_further_says_where_the_next_begins) {
    (void)look(1ms, "m");
    const Look first = start.begin(clock);
    start.found(first, "p");
    const Look second = *start.begin_beside(clock);
    start.end(second, 1ms, "s");
    start.end(first, 1ms, "p");
    EXPECT_EQ(start.begin(clock).behind, "s");
}

TEST_F(ScanStartTest, A_look_that_began_before_a_full_one_ended_does_not_pass_what_that_one_found) {
    (void)look(1ms, "m");
    const Look old = *start.begin_beside(clock);
    clock.tick(2s);
    const Look full = start.begin(clock);
    ASSERT_TRUE(full.is_full());
    start.end(full, 1ms, "c");
    start.found(old, "s");
    start.end(old, 1ms, "s");
    EXPECT_EQ(start.begin(clock).behind, "c");
}

TEST_F(ScanStartTest, The_next_pages_may_be_left_to_other_nodes) {
    const std::string end = schema::Uuid7Source(1).next(clock.now());
    start.leave_out(10ms);
    (void)look(1ms, end);
    const Look next = start.begin(clock);
    EXPECT_EQ(next.behind, schema::first_uuid7(clock.now() + 10ms));
    EXPECT_EQ(next.left_from, end);
    EXPECT_EQ(start.begin_beside(clock)->behind, next.behind);
}

TEST_F(ScanStartTest, With_nothing_behind_what_it_left_out_it_goes_back_there) {
    const std::string end = schema::Uuid7Source(1).next(clock.now());
    start.leave_out(10ms);
    (void)look(1ms, end);
    (void)look(1ms, {});
    EXPECT_EQ(look(1ms, {}), end);
    EXPECT_EQ(look(1ms, {}), "") << "that was the end of the table";
}

TEST_F(ScanStartTest, What_was_left_out_and_not_taken_is_seen_by_the_next_full_look) {
    schema::Uuid7Source ids(1);
    start.leave_out(10ms);
    (void)look(1ms, ids.next(clock.now()));
    clock.tick(2s);
    const Look full = start.begin(clock);
    EXPECT_TRUE(full.is_full());
    EXPECT_EQ(full.left_from, "");
}

TEST_F(ScanStartTest, Where_it_has_been_before_it_leaves_out_nothing) {
    schema::Uuid7Source ids(1);
    const std::string earlier = ids.next(clock.now());
    start.leave_out(10ms);
    (void)look(1ms, ids.next(clock.now() + 1ms));
    clock.tick(2s);
    EXPECT_EQ(look(1ms, earlier), "");
    EXPECT_EQ(look(1ms, ids.next(clock.now())), earlier);
    EXPECT_EQ(start.begin(clock).behind, schema::first_uuid7(clock.now() + 10ms));
}

TEST_F(ScanStartTest, Ids_without_a_time_leave_out_nothing) {
    start.leave_out(10ms);
    (void)look(1ms, "m");
    EXPECT_EQ(start.begin(clock).behind, "m");
    EXPECT_EQ(start.begin(clock).left_from, "");
    clock.tick(2s);
    (void)look(1ms, schema::Uuid7Source(1).next(clock.now()));
    EXPECT_NE(start.begin(clock).left_from, "") << "but no others are in their way";
}

TEST(JustBefore, An_id_without_its_last_character_stands_before_it) {
    EXPECT_EQ(just_before("order-17"), "order-1");
    EXPECT_EQ(just_before("o"), "");
    EXPECT_EQ(just_before(""), "");
    EXPECT_EQ(just_before("caf\u00e9"), "caf");
}

class LastViewTest : public testing::Test {
protected:
    LastViewTest() {
        wake_ups.sleepers.timer_mover = [this](schema::TimePoint due) { told.push_back(due); };
    }

    void see(IdleView seen) {
        seen.at = clock.now();
        view.saw(seen, clock.steady_now());
    }

    [[nodiscard]] bool is_none(LastView::Rows rows) const {
        return view.none_of(rows, clock.steady_now()).has_value();
    }

    [[nodiscard]] bool do_leases_last(schema::Duration time) const {
        return view.do_leases_last(clock.now() + time, clock.steady_now());
    }

    schema::ManualClock clock;
    WakeUps wake_ups;
    std::vector<schema::TimePoint> told;
    LastView view{wake_ups};
};

TEST_F(LastViewTest, What_was_not_there_counts_for_a_while) {
    EXPECT_FALSE(is_none(&IdleView::has_limits)) << "nobody has looked yet";
    see({.has_locks = true});
    EXPECT_TRUE(is_none(&IdleView::has_limits));
    EXPECT_FALSE(is_none(&IdleView::has_locks)) << "somebody has to look at them";
    clock.tick(LastView::kHolds);
    EXPECT_TRUE(is_none(&IdleView::has_limits));
    clock.tick(1ms);
    EXPECT_FALSE(is_none(&IdleView::has_limits));
    EXPECT_FALSE(view.is_recent(clock.steady_now()));
}

TEST_F(LastViewTest, The_next_timer_is_the_one_that_was_seen_after_the_news) {
    const schema::SteadyPoint news = clock.steady_now();
    const schema::TimePoint due = clock.now() + 1h;
    see({.next_due = due});
    EXPECT_FALSE(view.next_due(news, clock.steady_now())) << "it may not have been there yet";
    clock.tick(1ms);
    see({.next_due = due});
    const auto seen = view.next_due(news, clock.steady_now());
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->due, due);
    EXPECT_EQ(seen->at, clock.now());
    see({.next_due = due, .are_timers_sound = false});
    EXPECT_FALSE(view.next_due(news, clock.steady_now())) << "who moves timers sees to it";
}

TEST_F(LastViewTest, Of_a_timer_that_is_soon_due_its_mover_is_told) {
    see({.next_due = clock.now() + 1h});
    see({});
    EXPECT_TRUE(told.empty());
    see({.next_due = clock.now() + 1s});
    EXPECT_THAT(told, ElementsAre(clock.now() + 1s));
}

TEST_F(LastViewTest, A_lease_that_may_end_has_to_be_looked_at) {
    EXPECT_FALSE(do_leases_last(0ms));
    see({});
    EXPECT_FALSE(do_leases_last(0ms)) << "no lease is known";
    see({.first_lease_end = clock.now() + 6s});
    EXPECT_TRUE(do_leases_last(6s));
    EXPECT_FALSE(do_leases_last(6s + 1ms));
}

/// The activities of a node that has nothing to do, on a store that answers nothing else.
class IdleNodeTest : public LastViewTest {
protected:
    IdleNodeTest() { intake.free_places = 10; }

    testing::StrictMock<test::MockExecutorStore> store;
    testing::StrictMock<test::MockServedStore> served;
    test::RecordingIntake intake;
    test::RecordingLog log;
};

TEST_F(IdleNodeTest, An_idle_acquisition_looks_around) {
    JobAcquirer acquirer(store, intake, clock, wake_ups, {}, &view);
    EXPECT_CALL(store, acquire(_, _, _, _)).WillOnce(Return(Jobs{}));
    (void)acquirer.run_once();
    EXPECT_FALSE(view.is_recent(clock.steady_now())) << "it was not idle yet";
    EXPECT_CALL(store, look_around(_, clock.now())).WillOnce(Return(IdleView{}));
    (void)acquirer.run_once();
    EXPECT_TRUE(is_none(&IdleView::has_limits));
    EXPECT_CALL(store, has_acquirable(_, _, _)).WillOnce(Return(false));
    (void)acquirer.run_once();
}

TEST_F(IdleNodeTest, An_acquisition_that_sees_a_job_takes_it) {
    JobAcquirer acquirer(store, intake, clock, wake_ups, {}, &view);
    EXPECT_CALL(store, acquire(_, _, _, _)).Times(2).WillRepeatedly(Return(Jobs{}));
    (void)acquirer.run_once();
    EXPECT_CALL(store, look_around(_, _)).WillOnce(Return(IdleView{.has_acquirable = true}));
    (void)acquirer.run_once();
}

TEST_F(IdleNodeTest, Where_nothing_is_nobody_looks) {
    see({});
    clock.tick(1s);
    EXPECT_CALL(store, back_since()).WillRepeatedly(Return(std::nullopt));
    ExpiredLockReset reset({store, clock, wake_ups, log, &view}, {.interval = 10s});
    EXPECT_EQ(reset.run_once(), 9s) << "as if it had looked then";
    Leftovers leftovers(store, clock, 10s, &view);
    EXPECT_EQ(leftovers.run_once(), 10s);
    UnservedJobs unserved(served, clock, log, &view);
    EXPECT_EQ(unserved.run_once(), 10s);
}

TEST_F(IdleNodeTest, Where_something_is_it_is_looked_at) {
    see({.has_executable = true, .has_leftovers = true});
    EXPECT_CALL(store, back_since()).WillRepeatedly(Return(std::nullopt));
    EXPECT_CALL(store, reset_expired_locks(_, _)).Times(3);
    EXPECT_CALL(store, reset_expired_groups(_, _)).Times(1);
    ExpiredLockReset reset({store, clock, wake_ups, log, &view}, {.interval = 10s});
    EXPECT_EQ(reset.run_once(), 10s);
    EXPECT_CALL(store, remove_expired_keys(_)).Times(1);
    EXPECT_CALL(store, forget_idle_groups(_, _)).Times(1);
    Leftovers leftovers(store, clock, 10s, &view);
    EXPECT_EQ(leftovers.run_once(), 10s);
    EXPECT_CALL(served, unserved(_, _)).Times(1);
    UnservedJobs unserved(served, clock, log, &view);
    EXPECT_EQ(unserved.run_once(), 10s);
}

TEST_F(IdleNodeTest, Limits_are_known_as_soon_as_if_they_were_read_each_time) {
    LimitPassing passing({store, intake, clock, &view}, 3s);
    see({});
    clock.tick(1s);
    EXPECT_EQ(passing.run_once(), 2s);
    clock.tick(2s);
    EXPECT_CALL(store, refresh_limits()).WillOnce(Return(true));
    EXPECT_CALL(store, acquire_limited(_, _, _, _)).Times(2);
    EXPECT_EQ(passing.run_once(), 1s);
    see({});
    clock.tick(1s);
    EXPECT_EQ(passing.run_once(), 1s) << "those that it knows may have been removed";
}

}  // namespace

}  // namespace jobstrand::executor
