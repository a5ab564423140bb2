#include "executor/pool/shared_threads.hpp"

#include <gtest/gtest.h>

#include <future>

namespace jobstrand::executor {
namespace {

/// Whether there is a place at once.
bool gets_place(SharedThreads::Share& share) {
    std::stop_source stop;
    stop.request_stop();
    return share.take(stop.get_token());
}

// R095
TEST(SharedThreads, All_together_have_so_many_places) {
    SharedThreads threads(2);
    SharedThreads::Share one(threads);
    SharedThreads::Share other(threads);
    EXPECT_TRUE(gets_place(one));
    EXPECT_TRUE(gets_place(other));
    EXPECT_FALSE(gets_place(one));
    EXPECT_FALSE(gets_place(other));
    other.give_back();
    EXPECT_FALSE(gets_place(one)) << "it is kept for the other";
    one.give_back();
    EXPECT_TRUE(gets_place(one));
}

TEST(SharedThreads, A_place_is_kept_for_who_runs_nothing) {
    SharedThreads threads(3);
    SharedThreads::Share busy(threads);
    SharedThreads::Share idle(threads);
    EXPECT_TRUE(gets_place(busy));
    EXPECT_TRUE(gets_place(busy));
    EXPECT_FALSE(gets_place(busy));
    EXPECT_TRUE(gets_place(idle));
}

TEST(SharedThreads, Who_waits_goes_on_when_there_is_a_place) {
    SharedThreads threads(1);
    SharedThreads::Share one(threads);
    ASSERT_TRUE(gets_place(one));
    auto second = std::async(std::launch::async, [&one] { return one.take({}); });
    one.give_back();
    EXPECT_TRUE(second.get());
}

TEST(SharedThreads, One_alone_may_have_them_all) {
    SharedThreads threads(2);
    SharedThreads::Share one(threads);
    { const SharedThreads::Share gone(threads); }
    EXPECT_TRUE(gets_place(one));
    EXPECT_TRUE(gets_place(one));
}

TEST(SharedThreads, Who_is_told_to_stop_waits_no_longer) {
    SharedThreads threads(1);
    SharedThreads::Share one(threads);
    ASSERT_TRUE(gets_place(one));
    std::stop_source stop;
    auto second = std::async(std::launch::async, [&] { return one.take(stop.get_token()); });
    stop.request_stop();
    EXPECT_FALSE(second.get());
}

}  // namespace
}  // namespace jobstrand::executor
