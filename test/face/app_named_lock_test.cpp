#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/named_lock.hpp>
#include <jobstrand/testing.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

/// Locks of an app, with the public headers alone. Their ends come by the clock of the test.
class PublicLocks : public testing::Test {
protected:
    TestEngine test_;
    Engine& engine_ = test_.engine();
    NamedLock first_{engine_, "books"};
    NamedLock second_{engine_, "books"};
};

TEST_F(PublicLocks, One_object_holds_it_until_it_is_released) {
    EXPECT_TRUE(first_.try_acquire());
    EXPECT_TRUE(first_.is_held());
    EXPECT_FALSE(second_.try_acquire());
    EXPECT_FALSE(second_.acquire(1ms));
    EXPECT_FALSE(second_.is_held());
    EXPECT_FALSE(second_.renew());
    second_.release();
    EXPECT_TRUE(first_.is_held());
    first_.release();
    EXPECT_FALSE(first_.is_held());
    EXPECT_TRUE(second_.try_acquire());
    EXPECT_GT(second_.token(), first_.token());
}

TEST_F(PublicLocks, Whoever_does_not_renew_it_has_lost_it) {
    EXPECT_TRUE(first_.try_acquire());
    test_.advance(20s);
    EXPECT_TRUE(first_.renew());
    test_.advance(20s);
    EXPECT_TRUE(first_.is_held());
    test_.advance(10s);
    EXPECT_FALSE(first_.is_held());
    EXPECT_TRUE(second_.try_acquire());
    EXPECT_FALSE(first_.renew());
    first_.release();
    EXPECT_TRUE(second_.is_held()) << "it is another's now";
}

TEST_F(PublicLocks, Its_object_frees_it_at_its_end_and_an_owner_of_a_name_has_it_in_any_object) {
    {
        NamedLock mine(engine_, "books", {.time = 1min, .owner = "app-1"});
        NamedLock again(engine_, "books", {.time = 1min, .owner = "app-1"});
        EXPECT_TRUE(mine.try_acquire());
        EXPECT_TRUE(again.try_acquire());
        EXPECT_EQ(again.token(), mine.token());
        EXPECT_FALSE(first_.try_acquire());
    }
    EXPECT_TRUE(first_.try_acquire());
}

TEST_F(PublicLocks, Work_runs_while_it_is_held_and_frees_it_however_it_ends) {
    bool has_run = false;
    EXPECT_TRUE(first_.run(0ms, [&] {
        has_run = first_.is_held();
        EXPECT_FALSE(second_.run(0ms, [] { ADD_FAILURE() << "it is held"; }));
    }));
    EXPECT_TRUE(has_run);
    EXPECT_THROW((void)first_.run(0ms, [] { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_TRUE(second_.try_acquire());
}

TEST_F(PublicLocks, Work_that_lasts_longer_than_the_lock_keeps_it) {
    NamedLock brief(engine_, "books", {.time = 30ms});
    EXPECT_TRUE(brief.run(0ms, [&] {
        for (int i = 0; i < 5; ++i) {
            // Time passes; then a renewal is waited for, which begins a new time.
            test_.advance(29ms);
            const auto patience = std::chrono::steady_clock::now() + 10s;
            const TimePoint now = engine_.now();
            NamedLock look(engine_, "books");
            EXPECT_FALSE(look.try_acquire());
            while (brief.until() < now + 30ms && std::chrono::steady_clock::now() < patience) {
                std::this_thread::yield();
            }
            EXPECT_TRUE(brief.is_held());
        }
    }));
}

TEST_F(PublicLocks, What_no_lock_can_have_is_refused) {
    EXPECT_THROW((void)NamedLock(engine_, "").try_acquire(), std::invalid_argument);
    EXPECT_THROW((void)NamedLock(engine_, "x", {.time = 0s}).try_acquire(), std::invalid_argument);
    engine_.in_transaction([&](Transaction&) {
        EXPECT_THROW((void)first_.try_acquire(), std::logic_error);
    });
}

}  // namespace

}  // namespace jobstrand::test
