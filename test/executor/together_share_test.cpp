#include "executor/job_acquirer.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/mock_executor_store.hpp"
#include "test/fixtures/recording_intake.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace jobstrand::executor {

namespace {

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
            return std::vector<schema::Job>{
                test::a_job("a"), test::a_job("b"), test::a_job("x"), test::a_job("y")};
        });
    EXPECT_CALL(store, acquire(_, _, room_for(35, 45), "b"))
        .WillOnce(testing::Return(std::vector<schema::Job>{}));
    (void)acquirer.run_once();
    (void)acquirer.run_once();
    EXPECT_EQ(intake.ids(), (std::vector<std::string>{"a", "b", "x", "y"}));
}

}  // namespace

}  // namespace jobstrand::executor
