#include "executor/cleaning.hpp"
#include "executor/expired_lock_reset.hpp"
#include "executor/held_locks.hpp"
#include "executor/job_acquirer.hpp"
#include "executor/loop/scan_start.hpp"
#include "schema/clock.hpp"
#include "schema/uuid7.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::Fence;
using persistence::JobAnswer;
using persistence::JobLogBounds;
using persistence::JobLogCleaning;
using persistence::LockReset;
using persistence::LockSearch;
using persistence::PageLimit;
using schema::HistoryRetention;
using schema::JobPlace;
using test::a_job;
using test::full_page;
using test::RecordingIntake;
using testing::_;
using testing::AnyNumber;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Return;
using namespace std::chrono_literals;
using Jobs = std::vector<schema::Job>;

/// Of this handler type and no other.
testing::Matcher<const persistence::ServedJobs&> serves(const std::string& type) {
    return Field(&persistence::ServedJobs::types, ElementsAre(type));
}

/// So many jobs, and as many bytes as the settings say.
PageLimit limit_of_page(std::size_t jobs) {
    return {jobs, ExecutorSettings{}.acquire_page_bytes};
}

class ActivitiesTest : public testing::Test {
protected:
    JobAcquirer an_acquirer(const ExecutorSettings& settings = {}) {
        return JobAcquirer(store, intake, clock, wake_ups, settings);
    }

    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    test::RecordingLog log;
    RecordingIntake intake;
    WakeUps wake_ups;
};

// R043 R113
TEST_F(ActivitiesTest, Acquisition_claims_for_its_own_types_and_lock_time_and_hands_over_the_page) {
    JobAcquirer acquirer = an_acquirer({.acquire_page = 100});
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(_, serves("mail"), limit_of_page(100), ""))
        .WillOnce([&](const persistence::LockClaim& claim, auto, auto, auto) {
            EXPECT_EQ(claim.owner, "intake");
            EXPECT_EQ(claim.until, clock.now() + intake.lock_time());
            return Jobs{a_job("a"), a_job("b")};
        });
    EXPECT_EQ(acquirer.run_once(), 0ms);
    EXPECT_EQ(intake.ids(), (std::vector<std::string>{"a", "b"}));
}

/// A node that has just started, on a database that may keep what was deleted.
class FirstLook : public ActivitiesTest {
protected:
    FirstLook() {
        intake.free_places = 2048;
        acquirer.search_first();
    }

    /// A part of the search takes so long.
    [[nodiscard]] auto part(bool found, schema::Duration took = 0ms) {
        return [this, found, took](auto&, auto, auto) {
            clock.tick(took);
            return found;
        };
    }

    JobAcquirer acquirer{an_acquirer({.acquire_page = 2})};
    const schema::TimePoint start = clock.now();
};

TEST_F(FirstLook, Begins_with_the_oldest_where_nothing_is_in_its_way) {
    EXPECT_CALL(store, has_acquirable(_, _, _)).Times(8).WillRepeatedly(part(false));
    EXPECT_CALL(store, acquire(_, _, _, "")).WillOnce(full_page({a_job("a"), a_job("b")}));
    EXPECT_EQ(acquirer.run_once(), 0ms);
}

TEST_F(FirstLook, Begins_with_the_oldest_of_the_recent_ones_if_a_search_further_back_takes_long) {
    const std::string a_second = schema::first_uuid7(start - 1s);
    const std::string four = schema::first_uuid7(start - 4s);
    const std::string sixteen = schema::first_uuid7(start - 16s);
    testing::InSequence sequence;
    const std::string ahead = schema::first_uuid7(start + 24h);
    EXPECT_CALL(store, has_acquirable(_, a_second, ahead)).WillOnce(part(true));
    EXPECT_CALL(store, has_acquirable(_, four, a_second)).WillOnce(part(true, 50ms));
    EXPECT_CALL(store, has_acquirable(_, sixteen, four)).WillOnce(part(false, 51ms));
    EXPECT_CALL(store, acquire(_, _, _, four)).WillOnce(full_page({a_job("a"), a_job("b")}));
    EXPECT_EQ(acquirer.run_once(), 0ms);
}

TEST_F(FirstLook, Is_for_what_comes_now_if_nothing_was_found_and_a_full_look_follows_soon) {
    EXPECT_CALL(store, has_acquirable(_, _, _)).WillOnce(part(false, 1s));
    EXPECT_CALL(store, acquire(_, _, _, schema::first_uuid7(start - kUsualCommit)))
        .WillOnce(Return(Jobs{}));
    (void)acquirer.run_once();
    clock.tick(999ms);
    EXPECT_CALL(store, has_acquirable(_, testing::Not(""), _)).WillOnce(part(false));
    (void)acquirer.run_once();
    clock.tick(1ms);
    EXPECT_CALL(store, has_acquirable(_, "", _)).WillOnce(part(false));
    (void)acquirer.run_once();
}

TEST_F(ActivitiesTest, Acquisition_goes_on_behind_its_last_page_and_begins_anew_after_the_last) {
    JobAcquirer acquirer = an_acquirer({.acquire_page = 2});
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(_, _, limit_of_page(2), "b")).WillOnce(Return(Jobs{}));
    EXPECT_CALL(store, acquire(_, _, limit_of_page(2), ""))
        .WillOnce(full_page({a_job("a"), a_job("b")}))
        .WillOnce(Return(Jobs{a_job("0")}));
    EXPECT_EQ(acquirer.run_once(), 0ms);
    EXPECT_EQ(acquirer.run_once(), 0ms) << "older jobs may have come";
    EXPECT_EQ(acquirer.run_once(), 0ms);
    EXPECT_EQ(intake.ids(), (std::vector<std::string>{"a", "b", "0"}));
    EXPECT_EQ(acquirer.claims(), 3U);
    EXPECT_EQ(acquirer.empty_claims(), 1U);
    EXPECT_EQ(acquirer.claimed(), 3U);
    EXPECT_EQ(acquirer.times().total(), 3U);
}

TEST_F(ActivitiesTest, Acquisition_looks_for_older_jobs_every_sixteen_pages) {
    JobAcquirer acquirer = an_acquirer({.acquire_page = 1});
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(_, _, _, "a")).Times(15).WillRepeatedly(full_page({a_job("a")}));
    EXPECT_CALL(store, acquire(_, _, _, "")).Times(2).WillRepeatedly(full_page({a_job("a")}));
    for (int page = 0; page < 17; ++page) {
        (void)acquirer.run_once();
    }
}

/// The clock is turned by what a look from the oldest takes.
TEST_F(ActivitiesTest, Acquisition_looks_at_what_is_dead_in_front_a_twentieth_of_the_time_at_most) {
    JobAcquirer acquirer = an_acquirer();
    intake.free_places = 2048;
    const std::string recent = schema::first_uuid7(clock.now() - kUsualCommit);
    EXPECT_CALL(store, acquire(_, _, _, ""))
        .WillOnce([&](auto&, auto&, const PageLimit& limit, auto) {
            limit.seen->search = 300ms;
            return Jobs{};
        });
    EXPECT_GT(acquirer.run_once(), 0ms);
    EXPECT_CALL(store, has_acquirable(_, std::string_view(recent), std::string_view()))
        .Times(2)
        .WillRepeatedly(Return(false));
    EXPECT_GT(acquirer.run_once(), 0ms);
    clock.tick(6s - 1ms);
    EXPECT_GT(acquirer.run_once(), 0ms);
    clock.tick(1ms);
    EXPECT_CALL(store, has_acquirable(_, std::string_view(), _)).WillOnce([&](auto&, auto, auto) {
        clock.tick(300ms);
        return false;
    });
    EXPECT_GT(acquirer.run_once(), 0ms);
    EXPECT_CALL(store, has_acquirable(_, testing::Gt(std::string_view(recent)), _))
        .WillOnce(Return(false));
    EXPECT_GT(acquirer.run_once(), 0ms);
}

// R045
TEST_F(ActivitiesTest, Acquisition_by_priority_goes_on_behind_the_last_id_of_each_priority) {
    JobAcquirer acquirer = an_acquirer({.acquire_page = 3, .order = {.by_priority = true}});
    intake.free_places = 2048;
    const auto behind = [](const std::map<std::int64_t, std::string>& ids) {
        persistence::RangePositions positions;
        for (const auto& [priority, id] : ids) {
            positions[persistence::IndexRange{priority}] = {.id = id};
        }
        return positions;
    };
    EXPECT_CALL(
        store,
        acquire_in_order(_, serves("mail"), _, limit_of_page(3), persistence::RangePositions{})
    )
        .WillOnce(Return(Jobs{
            a_job("b").with_priority(9), a_job("c").with_priority(9), a_job("a").with_priority(1)}))
        .WillOnce(Return(Jobs{}));
    EXPECT_CALL(store, acquire_in_order(_, _, _, limit_of_page(3), behind({{9, "c"}, {1, "a"}})))
        .WillOnce(Return(Jobs{
            a_job("d").with_priority(10),
            a_job("d1").with_priority(9),
            a_job("d2").with_priority(9)}));
    EXPECT_CALL(
        store, acquire_in_order(_, _, _, limit_of_page(3), behind({{10, "d"}, {9, "d2"}, {1, "a"}}))
    ).WillOnce(Return(Jobs{a_job("e").with_priority(1)}));
    for (int page = 0; page < 4; ++page) {
        (void)acquirer.run_once();
    }
    EXPECT_EQ(intake.ids(), (std::vector<std::string>{"b", "c", "a", "d", "d1", "d2", "e"}));
}

// R116 R171
TEST_F(ActivitiesTest, Acquisition_waits_while_the_queue_is_full) {
    intake.free_places = 0;
    EXPECT_EQ(an_acquirer({.acquire_ahead = 1min, .queue_full_wait = 5s}).run_once(), 5s);
    EXPECT_EQ(an_acquirer({.acquire_ahead = 2s, .queue_full_wait = 5s}).run_once(), 2s)
        << "what is held may turn out to be too much";
    EXPECT_EQ(an_acquirer({.acquire_ahead = 0ms, .queue_full_wait = 0ms}).run_once(), 50ms);
}

TEST_F(ActivitiesTest, Acquisition_never_asks_for_more_than_the_queue_has_room_for) {
    JobAcquirer acquirer = an_acquirer({.queue_size = 20});
    intake.free_places = 12;
    EXPECT_CALL(store, acquire(_, _, limit_of_page(12), _)).WillOnce(Return(Jobs{}));
    (void)acquirer.run_once();
}

// I8
TEST_F(ActivitiesTest, Acquisition_takes_no_more_bytes_than_a_page_or_the_queue_may_have) {
    JobAcquirer acquirer = an_acquirer({.acquire_page = 7, .acquire_page_bytes = 1000});
    intake.free_places = 100;
    EXPECT_CALL(store, acquire(_, _, PageLimit(7, 1000), _)).WillOnce(Return(Jobs{a_job("a")}));
    (void)acquirer.run_once();
    intake.free_bytes = 10;
    EXPECT_CALL(store, acquire(_, _, PageLimit(7, 10), _)).WillOnce(Return(Jobs{a_job("b")}));
    (void)acquirer.run_once();
}

TEST_F(ActivitiesTest, An_idle_acquisition_costs_one_cheap_statement_per_poll) {
    JobAcquirer acquirer = an_acquirer();
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(_, _, _, _)).WillOnce(Return(Jobs{}));
    EXPECT_GT(acquirer.run_once(), 0ms);
    EXPECT_CALL(store, has_acquirable(serves("mail"), _, _)).Times(2).WillRepeatedly(Return(false));
    EXPECT_GT(acquirer.run_once(), 0ms);
    EXPECT_GT(acquirer.run_once(), 0ms);
}

TEST_F(ActivitiesTest, An_idle_acquisition_claims_as_soon_as_its_poll_sees_a_job) {
    JobAcquirer acquirer = an_acquirer();
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(_, _, _, _))
        .WillOnce(Return(Jobs{}))
        .WillOnce(Return(Jobs{a_job("a")}));
    EXPECT_CALL(store, has_acquirable(_, _, _)).WillOnce(Return(true));
    EXPECT_GT(acquirer.run_once(), 0ms);
    EXPECT_EQ(acquirer.run_once(), 0ms);
}

class LockRenewalTest : public ActivitiesTest {
protected:
    /// A job whose lock of 30 s is so old.
    HeldJobPtr hold_for(schema::Duration time) {
        const HeldJobPtr job = held.add({a_job("a")}, clock.steady_now() + 30s).front();
        clock.tick(time);
        return job;
    }

    HeldJobs held;
    LockRenewal renewal{{store, held, clock, log}, "node-1", 30s};
};

TEST_F(LockRenewalTest, Renewal_leaves_young_locks_alone_and_comes_back_after_a_third) {
    (void)hold_for(0s);
    EXPECT_EQ(renewal.run_once(), 10s);
}

TEST_F(LockRenewalTest, A_lock_older_than_a_third_of_its_time_is_extended) {
    const HeldJobPtr job = hold_for(11s);
    EXPECT_CALL(store, extend_locks(_, ElementsAre(Fence{.id = "a", .revision = 1})))
        .WillOnce([&](const persistence::LockClaim& claim, auto) {
            EXPECT_EQ(claim.until, clock.now() + 30s);
            return std::vector<std::string>{};
        });
    (void)renewal.run_once();
    EXPECT_EQ(job->lock_until.load(), clock.steady_now() + 30s);
    EXPECT_FALSE(job->stop.stop_requested());
}

TEST_F(LockRenewalTest, A_renewal_that_took_long_is_followed_by_the_next_at_once) {
    const HeldJobPtr job = hold_for(11s);
    EXPECT_CALL(store, extend_locks(_, _)).WillOnce([&](auto&, auto) {
        clock.tick(11s);
        return std::vector<std::string>{};
    });
    EXPECT_EQ(renewal.run_once(), 0s);
}

// As that of one that waited, behind one that began after it.
TEST_F(LockRenewalTest, A_renewal_never_ends_a_lock_before_its_time) {
    const HeldJobPtr job = held.add({a_job("a")}, clock.steady_now() + 50s).front();
    held.extended(std::vector{Fence{.id = "a", .revision = 1}}, clock.steady_now() + 30s);
    EXPECT_EQ(job->lock_until.load(), clock.steady_now() + 50s);
}

TEST_F(LockRenewalTest, A_job_whose_lock_is_lost_is_told_to_stop) {
    const HeldJobPtr job = hold_for(11s);
    EXPECT_CALL(store, extend_locks(_, _)).WillOnce(Return(std::vector<std::string>{"a"}));
    (void)renewal.run_once();
    EXPECT_TRUE(job->stop.stop_requested());
}

TEST_F(LockRenewalTest, A_job_whose_lock_ended_while_nobody_could_renew_it_is_told_to_stop) {
    const HeldJobPtr job = hold_for(31s);
    (void)renewal.run_once();
    EXPECT_TRUE(job->stop.stop_requested());
}

class LockWatchTest : public ActivitiesTest {
protected:
    HeldJobPtr hold(const std::string& id, const std::string& group = {}) {
        schema::Job job = a_job(id).build();
        job.process_instance_id = group;
        const HeldJobPtr held_job = held.add({std::move(job)}, clock.steady_now() + 30s).front();
        held_job->is_running = true;
        return held_job;
    }

    HeldJobs held;
    LockWatch watch{{store, held, log}, "node-1"};
};

TEST_F(LockWatchTest, A_job_that_was_taken_away_is_told_to_stop) {
    const HeldJobPtr taken = hold("a");
    const HeldJobPtr stays = hold("b");
    EXPECT_CALL(
        store, not_held("node-1", ElementsAre(Field(&Fence::id, "a"), Field(&Fence::id, "b")))
    )
        .WillOnce(Return(std::vector<std::string>{"a"}));
    EXPECT_EQ(watch.run_once(), 1s);
    EXPECT_EQ(watch.run_once(), 1s);
    EXPECT_TRUE(taken->stop.stop_requested());
    EXPECT_FALSE(stays->stop.stop_requested());
}

TEST_F(LockWatchTest, Short_jobs_cost_no_statement) {
    EXPECT_CALL(store, not_held(_, _)).Times(0);
    for (const std::string id : {"a", "b", "c"}) {
        const HeldJobPtr running = hold(id);
        (void)watch.run_once();
        running->is_running = false;
    }
    (void)watch.run_once();
}

TEST_F(LockWatchTest, Nobody_is_asked_again_about_a_job_that_was_told_to_stop) {
    (void)hold("a");
    EXPECT_CALL(store, not_held(_, _)).WillOnce(Return(std::vector<std::string>{"a"}));
    for (int pass = 0; pass < 4; ++pass) {
        (void)watch.run_once();
    }
}

// I4
TEST_F(LockWatchTest, The_group_of_a_job_that_was_taken_away_is_held_until_its_run_has_ended) {
    const HeldJobPtr taken = hold("a", "i");
    EXPECT_THAT(held.taken_away({"a"}), ElementsAre("a"));
    LockRenewal renewal{{store, held, clock, log}, "node-1", 30s};
    clock.tick(11s);
    EXPECT_CALL(store, extend_locks(_, ElementsAre(Field(&Fence::group, "i"))))
        .WillOnce(Return(std::vector<std::string>{"a"}));
    (void)renewal.run_once();
    EXPECT_FALSE(taken->is_lost) << "its group is passed on as ever";
    EXPECT_EQ(taken->lock_until.load(), clock.steady_now() + 30s);
}

TEST_F(LockWatchTest, A_job_that_has_just_ended_was_not_taken_away) {
    hold("a")->is_running = false;
    EXPECT_THAT(held.taken_away({"a", "unknown"}), IsEmpty());
}

class ResetTest : public ActivitiesTest {
protected:
    /// The table of executable jobs: `ends` is what each look at it says.
    auto& expect_looks(std::string_view after) {
        return EXPECT_CALL(
            store, reset_expired_locks(JobPlace::executable, Field(&LockSearch::after, after))
        );
    }

    void SetUp() override {
        EXPECT_CALL(store, reset_expired_locks(_, _)).Times(AnyNumber());
        EXPECT_CALL(store, back_since()).Times(AnyNumber());
        wake_ups.sleepers.acquisition = [this] { ++wakes; };
    }

    int wakes = 0;
    ExpiredLockReset reset{{store, clock, wake_ups, log}, {.interval = 60s, .page = 3}};
};

TEST(
    NodeTurns,
    Come_the_more_seldom_the_more_nodes_stand_before_and_every_thirtieth_time_at_least
) {
    for (const auto& [before, turns] : {std::pair{0, 1}, {1, 2}, {28, 29}, {29, 30}, {999, 30}}) {
        testing::NiceMock<test::MockNodeStore> nodes;
        ON_CALL(nodes, living_before(_, _)).WillByDefault(Return(before));
        const schema::ManualClock clock;
        NodeTurns node(nodes, clock, "node");
        int asked = 1;
        while (!node.is_mine()) {
            ++asked;
        }
        EXPECT_EQ(asked, turns) << before;
    }
}

TEST_F(ResetTest, The_third_of_the_living_nodes_looks_and_sweeps_a_third_as_often_as_the_first) {
    testing::NiceMock<test::MockNodeStore> nodes;
    ON_CALL(nodes, living_before(testing::Eq("node-3"), _)).WillByDefault(Return(2));
    NodeTurns turns(nodes, clock, "node-3");
    ExpiredLockReset third{
        {store, clock, wake_ups, log, nullptr, &turns}, {.interval = 60s, .page = 3}};
    std::vector<std::string> looks;
    EXPECT_CALL(store, reset_expired_locks(JobPlace::executable, _))
        .WillRepeatedly([&](auto, const LockSearch& search) {
            looks.emplace_back(search.after);
            return LockReset{.freed = 0, .end = looks.size() == 1 ? "m" : ""};
        });
    EXPECT_EQ(third.run_once(), 60s);
    clock.tick(60s);
    EXPECT_EQ(third.run_once(), 60s);
    EXPECT_THAT(looks, IsEmpty());
    clock.tick(60s);
    EXPECT_EQ(third.run_once(), 18s) << "a part of a sweep, too";
    EXPECT_THAT(looks, ElementsAre(""));
    clock.tick(18s);
    EXPECT_EQ(third.run_once(), 42s);
    EXPECT_THAT(looks, ElementsAre("", "m"));

    ON_CALL(nodes, living_before(_, _)).WillByDefault(Return(0));
    clock.tick(42s);
    EXPECT_EQ(third.run_once(), 60s);
    EXPECT_THAT(looks, ElementsAre("", "m", "")) << "those before it have died";
}

// R175
TEST_F(ResetTest, Wakes_the_acquisition_when_it_has_freed_something) {
    expect_looks("").WillOnce(Return(LockReset{.freed = 3, .end = {}}));
    EXPECT_EQ(reset.run_once(), 60s);
    EXPECT_EQ(wakes, 1);
    EXPECT_EQ(reset.freed(), 3U);
}

// I3 I5
TEST_F(ResetTest, Frees_nothing_while_the_database_is_away_nor_before_all_could_renew_their_locks) {
    EXPECT_CALL(store, back_since())
        .WillOnce(Return(schema::SteadyPoint::max()))
        .WillOnce(Return(clock.steady_now()))
        .WillOnce(Return(clock.steady_now()));
    EXPECT_CALL(store, reset_expired_locks(_, _)).Times(0);
    EXPECT_EQ(reset.run_once(), 60s);
    clock.tick(39s);
    EXPECT_EQ(reset.run_once(), 60s);
    clock.tick(1s);
    EXPECT_CALL(store, reset_expired_locks(_, _)).Times(AnyNumber());
    expect_looks("").WillOnce(Return(LockReset{.freed = 3, .end = {}}));
    EXPECT_CALL(store, reset_expired_locks(testing::Ne(JobPlace::executable), _))
        .Times(AnyNumber());
    EXPECT_EQ(reset.run_once(), 60s);
    EXPECT_EQ(wakes, 1);
}

TEST_F(ResetTest, Looks_at_due_timers_a_twentieth_of_the_time_where_the_database_keeps_dead_ones) {
    ExpiredLockReset often{{store, clock, wake_ups, log}, {.interval = 1s}};
    int looks = 0;
    EXPECT_CALL(store, reset_expired_locks(JobPlace::timer, _)).WillRepeatedly([&](auto, auto&) {
        ++looks;
        clock.tick(1s);
        return LockReset{};
    });
    for (int passes = 0; passes < 21; ++passes) {
        (void)often.run_once();
        clock.tick(1s);
    }
    EXPECT_EQ(looks, 2);
}

TEST_F(ResetTest, Begins_with_the_first_row_and_passes_over_dead_ones_a_twentieth_of_the_time) {
    ExpiredLockReset often{{store, clock, wake_ups, log}, {.interval = 1s}};
    expect_looks("").WillOnce([&](auto, auto&) {
        clock.tick(1s);
        return LockReset{.freed = 0, .end = {}, .first = "order-17"};
    });
    (void)often.run_once();
    clock.tick(18s);
    expect_looks("order-1").WillOnce(Return(LockReset{}));
    (void)often.run_once();
    clock.tick(1s);
    expect_looks("").WillOnce(Return(LockReset{}));
    (void)often.run_once();
}

TEST_F(ResetTest, Sweeps_a_long_table_in_parts_between_the_looks_at_its_first_rows) {
    expect_looks("").Times(2).WillRepeatedly(Return(LockReset{.freed = 0, .end = "c"}));
    expect_looks("c")
        .WillOnce(Return(LockReset{.freed = 0, .end = "f"}))
        .WillOnce(Return(LockReset{.freed = 0, .end = {}}));
    expect_looks("f").WillOnce(Return(LockReset{.freed = 1, .end = {}}));
    EXPECT_EQ(reset.run_once(), 6s);
    EXPECT_EQ(reset.run_once(), 6s) << "it was woken earlier";
    clock.tick(6s);
    EXPECT_EQ(reset.run_once(), 6s);
    clock.tick(6s);
    EXPECT_EQ(reset.run_once(), 48s) << "the end of the table: nothing to do until the interval";
    EXPECT_EQ(wakes, 1);
    clock.tick(48s);
    EXPECT_EQ(reset.run_once(), 6s);
    clock.tick(6s);
    EXPECT_EQ(reset.run_once(), 54s);
}

class LeftoversTest : public testing::Test {
protected:
    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    Leftovers leftovers{store, clock, 60s};
};

// B8
TEST_F(LeftoversTest, Unique_keys_whose_period_is_over_are_deleted_part_by_part) {
    const auto behind = [](const char* key) {
        return testing::Field(&persistence::KeySearch::after, key);
    };
    EXPECT_CALL(store, forget_idle_groups(_, _)).Times(2);
    EXPECT_CALL(store, remove_expired_keys(behind("")))
        .Times(2)
        .WillRepeatedly(Return(persistence::ExpiredKeys{.removed = 1, .end = "k"}));
    EXPECT_CALL(store, remove_expired_keys(behind("k")))
        .WillOnce(Return(persistence::ExpiredKeys{.removed = 0, .end = {}}));
    EXPECT_EQ(leftovers.run_once(), 6s);
    EXPECT_EQ(leftovers.run_once(), 60s);
    EXPECT_EQ(leftovers.run_once(), 6s);
}

TEST_F(LeftoversTest, Idle_groups_of_limits_are_deleted_a_part_in_each_interval) {
    EXPECT_CALL(store, remove_expired_keys(_)).Times(3);
    EXPECT_CALL(store, forget_idle_groups(std::string_view(), _))
        .Times(2)
        .WillRepeatedly(Return("tenant:m"));
    EXPECT_CALL(store, forget_idle_groups(std::string_view("tenant:m"), _)).WillOnce(Return(""));
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(leftovers.run_once(), 60s);
    }
}

/// A past that is only forgotten.
class ForgettingStore : public persistence::HistoryStore {
public:
    [[nodiscard]] std::vector<JobLogLine> job_log(const JobLogQuery&, std::string_view, std::size_t)
        override {
        return {};
    }
    [[nodiscard]] std::optional<JobLogLine> find_log_line(std::string_view) override { return {}; }
    [[nodiscard]] std::vector<Incident>
    incidents(const IncidentQuery&, std::string_view, std::size_t) override {
        return {};
    }
    [[nodiscard]] std::int64_t count_open_incidents() override { return 0; }
    [[nodiscard]] std::vector<JobAnswer>
    annotate_incidents(std::span<const std::string>, std::string_view) override {
        return {};
    }
    [[nodiscard]] std::vector<JobAnswer>
    resolve_incidents(std::span<const std::string>, schema::TimePoint) override {
        return {};
    }

    JobLogCleaning clean_job_log(const JobLogBounds& bounds) override {
        log.push_back(bounds);
        return {.is_more = std::exchange(is_more, false)};
    }
    JobLogCleaning clean_incidents(const JobLogBounds& bounds) override {
        incidents_cleaned.push_back(bounds);
        return {};
    }

    std::vector<JobLogBounds> log;
    std::vector<JobLogBounds> incidents_cleaned;
    bool is_more = false;
};

/// When the past of jobs is forgotten.
class HistoryCleaningTest : public testing::Test {
protected:
    HistoryCleaning cleaning(HistoryRetention retention) {
        return {store_, clock_, std::move(retention), 10min};
    }

    /// Turns the clock to a time of the day.
    void turn_to(schema::Duration time_of_day) {
        const auto since_midnight = clock_.now().time_since_epoch() % schema::Duration(24h);
        clock_.tick(schema::Duration(24h) - since_midnight + time_of_day);
    }

    schema::ManualClock clock_;
    ForgettingStore store_;
};

TEST_F(HistoryCleaningTest, A_pass_asks_for_what_is_too_old_or_too_much) {
    EXPECT_EQ(cleaning({.age = 48h, .rows = 5}).run_once(), 10min);
    ASSERT_EQ(store_.log.size(), 1);
    EXPECT_EQ(store_.log[0].before, clock_.now() - 48h);
    EXPECT_EQ(store_.log[0].rows, 5);
    EXPECT_EQ(store_.incidents_cleaned[0].before, clock_.now() - 48h);
    EXPECT_EQ(store_.incidents_cleaned[0].rows, std::nullopt);
}

TEST_F(HistoryCleaningTest, Bounds_of_0_bound_nothing) {
    (void)cleaning({.age = 0h, .rows = 0}).run_once();
    EXPECT_EQ(store_.log[0].before, schema::TimePoint{});
    EXPECT_EQ(store_.log[0].rows, std::nullopt);
}

TEST_F(HistoryCleaningTest, After_a_full_page_it_goes_on_with_a_breath) {
    HistoryCleaning clean = cleaning({});
    store_.is_more = true;
    EXPECT_EQ(clean.run_once(), 50ms);
    EXPECT_EQ(clean.run_once(), 10min);
}

TEST_F(HistoryCleaningTest, Outside_of_its_window_it_waits) {
    HistoryCleaning clean = cleaning({.window_start = "23:00", .window_end = "01:00+0000"});
    turn_to(22h + 57min);
    EXPECT_EQ(clean.run_once(), 3min);
    EXPECT_TRUE(store_.log.empty());
    clock_.tick(3min);
    EXPECT_EQ(clean.run_once(), 10min);
    clock_.tick(119min);
    (void)clean.run_once();
    EXPECT_EQ(store_.log.size(), 2);
    clock_.tick(1min);
    (void)clean.run_once();
    EXPECT_EQ(store_.log.size(), 2);
}

// R055
TEST_F(HistoryCleaningTest, A_node_whose_priorities_leave_it_out_leaves_it_to_others) {
    const schema::ServedScope low{.priority_min = 0, .priority_max = 9};
    EXPECT_TRUE(executor::is_to_clean({.priority = 0}, low));
    EXPECT_FALSE(executor::is_to_clean({.priority = 10}, low));
    EXPECT_TRUE(executor::is_to_clean({.priority = 10}, {}));
    EXPECT_FALSE(executor::is_to_clean({.is_enabled = false}, {}));
}

}  // namespace

}  // namespace jobstrand::executor
