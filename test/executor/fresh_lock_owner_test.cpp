#include "executor/fresh_lock_owner.hpp"

#include "schema/lock_owner.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace jobstrand::executor {
namespace {

TEST(FreshLockOwner, Tells_this_process_and_is_never_the_same) {
    const std::string owner = fresh_lock_owner();
    const auto node = schema::node_of(owner);
    ASSERT_TRUE(node);
    EXPECT_EQ(node->process, ::getpid());
    EXPECT_FALSE(node->host.empty());
    EXPECT_NE(owner, fresh_lock_owner());
}

}  // namespace
}  // namespace jobstrand::executor
