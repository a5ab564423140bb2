#include "executor/job_acquirer.hpp"

#include "executor/executor_settings.hpp"
#include "executor/held_locks.hpp"
#include "executor/loop/job_intake.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/clock.hpp"
#include "schema/uuid7.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_stores.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::PageLimit;
using schema::LockGranularity;
using test::a_job;
using test::full_page;
using testing::_;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Return;
using namespace std::chrono_literals;
using Jobs = std::vector<schema::Job>;

/// From how many jobs on the first acquisition claims a page.
void expect_pages_from(std::size_t least, LockGranularity granularity) {
    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    test::RecordingIntake intake;
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(Field(&persistence::LockClaim::pages_from, least), _, _, _))
        .WillOnce(Return(Jobs{}));
    (void)JobAcquirer(store, intake, clock, WakeUps{}, {.lock_granularity = granularity})
        .run_once();
}

TEST(LockGranularity, Decides_how_jobs_are_acquired) {
    expect_pages_from(0, LockGranularity::row);
    expect_pages_from(16, LockGranularity::page);
}

TEST(LockGranularity, By_the_page_goes_with_no_order) {
    ExecutorSettings settings{.order = {.by_priority = true}};
    EXPECT_THAT(validate(settings), IsEmpty());
    settings.lock_granularity = LockGranularity::page;
    EXPECT_THAT(validate(settings), ElementsAre(HasSubstr("exclude each other")));
}

/// Takes its first page in a backlog, and says that there is more.
class AcquisitionBeside : public testing::Test {
protected:
    void SetUp() override {
        intake.free_places = 4;
        EXPECT_CALL(store, acquire(_, _, _, "")).WillOnce(full_page({a_job("a"), a_job("b")}));
        (void)acquirer.run_once();
    }

    testing::StrictMock<test::MockExecutorStore> store;
    schema::ManualClock clock;
    test::RecordingIntake intake;
    WakeUps wake_ups;
    JobAcquirer acquirer{store, intake, clock, wake_ups, {.acquire_page = 2}};
    Activity& beside{acquirer.add_beside()};
};

TEST_F(AcquisitionBeside, Is_woken_before_a_page_is_claimed_and_goes_on_behind_it) {
    int wakes = 0;
    wake_ups.sleepers.acquisition_beside = [&] { ++wakes; };
    EXPECT_CALL(store, acquire(_, _, _, "b"))
        .WillOnce([&](auto&, auto&, const PageLimit& limit, auto) {
            limit.when_found("d");
            EXPECT_EQ(wakes, 1);
            EXPECT_EQ(beside.run_once(), 0ms) << "it looks again at once";
            limit.seen->end = "d";
            return Jobs{a_job("c"), a_job("d")};
        });
    EXPECT_CALL(store, acquire(_, _, _, "d")).WillOnce(full_page({a_job("e"), a_job("f")}));
    EXPECT_CALL(store, acquire(_, _, _, "f")).WillOnce(Return(Jobs{}));
    (void)acquirer.run_once();
    (void)acquirer.run_once();
    EXPECT_THAT(intake.ids(), testing::UnorderedElementsAre("a", "b", "c", "d", "e", "f"));
    EXPECT_EQ(acquirer.claimed(), 6U);
}

TEST_F(AcquisitionBeside, Leaves_room_for_the_page_that_the_first_may_take_meanwhile) {
    intake.free_places = 3;
    EXPECT_EQ(beside.run_once(), kUntilWoken);
}

TEST_F(AcquisitionBeside, Sleeps_when_the_table_has_nothing_more) {
    EXPECT_CALL(store, acquire(_, _, _, "b")).WillOnce(Return(Jobs{}));
    EXPECT_EQ(beside.run_once(), kUntilWoken);
    EXPECT_EQ(beside.run_once(), kUntilWoken) << "and does not look again";
}

TEST_F(AcquisitionBeside, Looks_again_from_there_when_nothing_was_claimed) {
    const auto nothing = [](auto&, auto&, const PageLimit& limit, auto) -> Jobs {
        limit.when_found("d");
        throw persistence::NothingClaimed{};
    };
    EXPECT_CALL(store, acquire(_, _, _, "b"))
        .WillOnce(nothing)
        .WillOnce(nothing)
        .WillOnce(full_page({a_job("c"), a_job("d")}));
    EXPECT_EQ(acquirer.run_once(), 0ms);
    EXPECT_EQ(beside.run_once(), 0ms);
    (void)acquirer.run_once();
    EXPECT_THAT(intake.ids(), ElementsAre("a", "b", "c", "d"));
}

TEST(JobIntake, A_claim_is_late_when_two_thirds_of_its_time_have_gone) {
    test::RecordingIntake intake;
    schema::ManualClock clock;
    const persistence::LockClaim claim = claim_for(intake, clock);
    clock.tick(intake.lock_time() * 2 / 3 - 1ms);
    EXPECT_FALSE(claim.is_late());
    clock.tick(1ms);
    EXPECT_TRUE(claim.is_late());
}

/// A backlog of two in each millisecond, and two other nodes in it.
class AcquisitionAmongNodes : public AcquisitionBeside {
protected:
    void SetUp() override {
        intake.free_places = 8;
        EXPECT_CALL(store, acquire(_, _, _, ""))
            .WillOnce([&](auto&, auto&, const PageLimit& limit, auto) {
                limit.seen->end = end;
                EXPECT_TRUE(limit.asks_for_nodes);
                limit.seen->nodes_beside = 2;
                return Jobs{a_job(ids.next(clock.now() - 3ms)), a_job(end)};
            });
        (void)acquirer.run_once();
    }

    /// The next page, which is full. Returns where the one behind it begins, when two other nodes
    /// are left a page each.
    std::string take_page(std::string_view behind, bool asks_for_nodes) {
        EXPECT_CALL(store, acquire(_, _, _, behind))
            .WillOnce([&](auto&, auto&, const PageLimit& limit, auto) {
                EXPECT_EQ(limit.asks_for_nodes, asks_for_nodes);
                const std::string first = ids.next(clock.now() - 3ms);
                limit.seen->end = ids.next(clock.now());
                return Jobs{a_job(first), a_job(limit.seen->end)};
            });
        (void)acquirer.run_once();
        return schema::first_uuid7(clock.now() + 6ms);
    }

    schema::Uuid7Source ids{1};
    const std::string end = schema::Uuid7Source(2).next(clock.now());
    const std::string further = schema::first_uuid7(clock.now() + 6ms);
};

TEST_F(AcquisitionAmongNodes, Leaves_each_of_them_a_page_like_its_own) {
    EXPECT_CALL(store, acquire(_, _, _, std::string_view(further)))
        .WillOnce(full_page({a_job("c"), a_job("d")}));
    (void)acquirer.run_once();
}

TEST_F(AcquisitionAmongNodes, Asks_for_them_again_with_the_first_full_look_after_ten_seconds) {
    clock.tick(1s);
    (void)take_page(further, false);
    clock.tick(7s);
    const std::string behind_theirs = take_page("", false);
    clock.tick(1s);
    (void)take_page(behind_theirs, false);
    clock.tick(1s);
    (void)take_page("", true);
}

TEST_F(AcquisitionAmongNodes, Goes_back_at_once_when_there_is_nothing_behind_theirs) {
    EXPECT_CALL(store, acquire(_, _, _, std::string_view(further))).WillOnce(Return(Jobs{}));
    EXPECT_EQ(acquirer.run_once(), 0ms);
    EXPECT_CALL(store, acquire(_, _, _, std::string_view(end))).WillOnce(Return(Jobs{}));
    (void)acquirer.run_once();
}

TEST_F(AcquisitionAmongNodes, Goes_back_beside_as_well) {
    EXPECT_CALL(store, acquire(_, _, _, std::string_view(further))).WillOnce(Return(Jobs{}));
    EXPECT_EQ(beside.run_once(), 0ms);
    EXPECT_CALL(store, acquire(_, _, _, std::string_view(end))).WillOnce(Return(Jobs{}));
    EXPECT_EQ(beside.run_once(), kUntilWoken);
}

class DoubtfulClaimsTest : public testing::Test {
protected:
    auto& expect_look() { return EXPECT_CALL(store, take_up(_)); }

    testing::StrictMock<test::MockExecutorStore> store;
    test::RecordingIntake intake;
    schema::ManualClock clock;
    DoubtfulClaims claims{store, intake, clock};
    const schema::TimePoint until = clock.now() + 30s;
};

TEST_F(DoubtfulClaimsTest, Without_a_doubt_nobody_is_asked) {
    EXPECT_EQ(claims.run_once(), kUntilWoken);
}

TEST_F(DoubtfulClaimsTest, What_was_locked_is_taken_in_also_when_it_comes_to_light_late) {
    claims.add(until, clock.steady_now());
    expect_look().WillOnce(Return(Jobs{})).WillOnce([this](const persistence::LockClaim& claim) {
        EXPECT_EQ(claim.owner, "intake");
        EXPECT_EQ(claim.until, until);
        return Jobs{a_job("a"), a_job("b")};
    });
    EXPECT_EQ(claims.run_once(), 1s);
    EXPECT_THAT(intake.ids(), IsEmpty());
    clock.tick(1s);
    EXPECT_EQ(claims.run_once(), kUntilWoken);
    EXPECT_THAT(intake.ids(), ElementsAre("a", "b"));
}

TEST_F(DoubtfulClaimsTest, What_was_not_is_looked_for_as_long_as_its_locks_would_hold) {
    claims.add(until, clock.steady_now());
    clock.tick(30s);
    EXPECT_EQ(claims.run_once(), kUntilWoken);
}

TEST_F(DoubtfulClaimsTest, A_database_that_is_away_is_asked_again) {
    claims.add(until, clock.steady_now());
    expect_look()
        .WillOnce(testing::Throw(DbError(DbErrorKind::unreachable, "gone")))
        .WillOnce(Return(Jobs{a_job("a")}));
    EXPECT_THROW((void)claims.run_once(), DbError);
    (void)claims.run_once();
    EXPECT_THAT(intake.ids(), ElementsAre("a"));
}

TEST_F(DoubtfulClaimsTest, Only_a_claim_in_doubt_is_one) {
    for (const DbErrorKind kind : {DbErrorKind::in_doubt, DbErrorKind::connection_lost}) {
        EXPECT_THROW(
            run_claim(
                intake, until, clock.steady_now(), [&]() -> int { throw DbError(kind, "cut"); }
            ),
            DbError
        );
    }
    EXPECT_THAT(intake.in_doubt_until, ElementsAre(until));
    EXPECT_EQ(run_claim(intake, until, clock.steady_now(), [] { return 7; }), 7);
}

constexpr std::size_t kPage = 1000;
constexpr std::size_t kWorkers = 8;

/// Pages of a backlog in which each instance has so many jobs, one of them in the page. Returns how
/// many jobs the last one has.
std::size_t jobs_of_a_page(TogetherShare& share, std::size_t of_each) {
    std::size_t jobs = 0;
    for (int i = 0; i < 20; ++i) {
        const std::size_t room = share.room_in(kPage);
        const std::size_t in_order = kPage - room;
        const std::size_t besides = std::min(room, in_order * (of_each - 1));
        share.taken(in_order, besides, room);
        jobs = in_order + besides;
    }
    return jobs;
}

TEST(TogetherShare, Keeps_most_of_a_page_for_the_jobs_of_few_instances_at_first) {
    EXPECT_EQ(TogetherShare(kWorkers).room_in(kPage), 875U);
}

TEST(TogetherShare, Reads_a_job_for_each_worker_in_order) {
    const TogetherShare share(kWorkers);
    EXPECT_EQ(share.room_in(8), 0U);
    EXPECT_EQ(share.room_in(20), 12U);
    EXPECT_EQ(share.room_in(3), 0U);
}

TEST(TogetherShare, Fills_most_of_each_page_however_many_jobs_an_instance_has) {
    for (const std::size_t of_each : {1U, 2U, 5U, 10U, 50U}) {
        TogetherShare share(kWorkers);
        EXPECT_GE(jobs_of_a_page(share, of_each), kPage * 5 / 6) << of_each;
    }
}

TEST(TogetherShare, Looks_for_more_where_there_was_room_for_no_more) {
    TogetherShare share(kWorkers);
    share.taken(125, 875, 875);
    EXPECT_EQ(kPage - share.room_in(kPage), 62U);
    EXPECT_EQ(jobs_of_a_page(share, 1000), kPage);
    EXPECT_EQ(kPage - share.room_in(kPage), kWorkers);
}

TEST(TogetherShare, Goes_on_looking_in_a_small_part_where_there_were_none) {
    TogetherShare share(kWorkers);
    share.taken(125, 0, 875);
    EXPECT_EQ(share.room_in(kPage), 125U);
}

TEST(TogetherShare, Learns_nothing_from_a_page_without_room_or_jobs) {
    TogetherShare share(kWorkers);
    share.taken(8, 0, 0);
    share.taken(0, 0, 875);
    EXPECT_EQ(share.room_in(kPage), 875U);
}

persistence::PageLimit room_for(std::size_t in_order, std::size_t besides) {
    persistence::PageLimit limit(in_order, ExecutorSettings{}.acquire_page_bytes);
    limit.same_instance = besides;
    return limit;
}

// R087
TEST(TogetherShare, Of_an_acquisition_goes_by_its_last_page_and_the_next_one_begins_behind_that) {
    using testing::_;
    testing::StrictMock<test::MockExecutorStore> store;
    test::RecordingIntake intake;
    schema::ManualClock clock;
    const WakeUps wake_ups;
    JobAcquirer acquirer(
        store,
        intake,
        clock,
        wake_ups,
        {.max_pool_size = 2, .acquire_page = 80, .instances_together = true}
    );
    intake.free_places = 2048;
    EXPECT_CALL(store, acquire(_, _, room_for(10, 70), ""))
        .WillOnce([&](auto&, auto&, const persistence::PageLimit& limit, auto) {
            limit.seen->same_instance = 2;
            limit.seen->end = "b";
            return Jobs{a_job("a"), a_job("b"), a_job("x"), a_job("y")};
        });
    EXPECT_CALL(store, acquire(_, _, room_for(35, 45), "b")).WillOnce(testing::Return(Jobs{}));
    (void)acquirer.run_once();
    (void)acquirer.run_once();
    EXPECT_EQ(intake.ids(), (std::vector<std::string>{"a", "b", "x", "y"}));
}

// I4
TEST(JobIntake, No_two_claims_end_at_the_same_time) {
    test::RecordingIntake intake;
    schema::ManualClock clock;
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s + 1ms);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s + 2ms);
    clock.tick(1s);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s);
}

TEST(JobIntake, After_the_clock_was_set_back_claims_are_no_longer_than_usual) {
    test::RecordingIntake intake;
    schema::ManualClock clock;
    (void)claim_for(intake, clock);
    clock.set_wall(clock.now() - 1h);
    EXPECT_EQ(claim_for(intake, clock).until, clock.now() + 30s);
}

}  // namespace

}  // namespace jobstrand::executor
