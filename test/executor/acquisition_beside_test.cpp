#include "executor/job_acquirer.hpp"
#include "schema/clock.hpp"
#include "schema/uuid7.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::executor {
namespace {

using persistence::PageLimit;
using test::a_job;
using test::full_page;
using testing::_;
using testing::Return;
using namespace std::chrono_literals;

using Jobs = std::vector<schema::Job>;

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
};

TEST_F(AcquisitionBeside, Is_woken_before_a_page_is_claimed_and_goes_on_behind_it) {
    int wakes = 0;
    wake_ups.sleepers.acquisition_beside = [&] { ++wakes; };
    EXPECT_CALL(store, acquire(_, _, _, "b"))
        .WillOnce([&](auto&, auto&, const PageLimit& limit, auto) {
            limit.when_found("d");
            EXPECT_EQ(wakes, 1);
            EXPECT_EQ(acquirer.beside().run_once(), 0ms) << "it looks again at once";
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
    EXPECT_EQ(acquirer.beside().run_once(), kUntilWoken);
}

TEST_F(AcquisitionBeside, Sleeps_when_the_table_has_nothing_more) {
    EXPECT_CALL(store, acquire(_, _, _, "b")).WillOnce(Return(Jobs{}));
    EXPECT_EQ(acquirer.beside().run_once(), kUntilWoken);
    EXPECT_EQ(acquirer.beside().run_once(), kUntilWoken) << "and does not look again";
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
    EXPECT_EQ(acquirer.beside().run_once(), 0ms);
    EXPECT_CALL(store, acquire(_, _, _, std::string_view(end))).WillOnce(Return(Jobs{}));
    EXPECT_EQ(acquirer.beside().run_once(), kUntilWoken);
}

}  // namespace
}  // namespace jobstrand::executor
