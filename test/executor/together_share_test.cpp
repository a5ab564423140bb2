#include "executor/loop/together_share.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {

namespace {

constexpr std::size_t kPage = 1000;

TEST(TogetherShare, Keeps_most_of_a_page_for_the_jobs_of_few_instances_at_first) {
    EXPECT_EQ(TogetherShare(8).room_in(kPage), 875U);
}

TEST(TogetherShare, Reads_a_job_for_each_worker_in_order) {
    const TogetherShare share(8);
    EXPECT_EQ(share.room_in(8), 0U);
    EXPECT_EQ(share.room_in(20), 12U);
    EXPECT_EQ(share.room_in(3), 0U);
}

TEST(TogetherShare, Goes_by_how_many_the_last_page_has_found) {
    TogetherShare share(8);
    share.taken(125, 125, 875);
    EXPECT_EQ(kPage - share.room_in(kPage), kPage / 3);
}

TEST(TogetherShare, Looks_for_more_where_there_was_room_for_no_more) {
    TogetherShare share(8);
    share.taken(125, 875, 875);
    EXPECT_EQ(kPage - share.room_in(kPage), 62U);
    for (int i = 0; i < 10; ++i) {
        share.taken(10, 990, 990);
    }
    EXPECT_EQ(kPage - share.room_in(kPage), 8U);
}

TEST(TogetherShare, Goes_on_looking_in_a_small_part_where_there_were_none) {
    TogetherShare share(8);
    share.taken(125, 0, 875);
    EXPECT_EQ(share.room_in(kPage), 125U);
}

TEST(TogetherShare, Learns_nothing_from_a_page_without_room_or_jobs) {
    TogetherShare share(8);
    share.taken(8, 0, 0);
    share.taken(0, 0, 875);
    EXPECT_EQ(share.room_in(kPage), 875U);
}

}  // namespace

}  // namespace jobstrand::executor
