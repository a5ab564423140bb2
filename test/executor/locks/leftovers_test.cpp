#include "executor/cleaning.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/mock_executor_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using testing::_;
using testing::Return;

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

}  // namespace
}  // namespace jobstrand::executor
