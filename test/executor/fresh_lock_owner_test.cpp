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

TEST(IdentityOf, Is_another_incarnation_each_time_under_one_name) {
    const persistence::NodeIdentity first = identity_of("node-1");
    EXPECT_EQ(first.node, "node-1");
    EXPECT_EQ(first.process, ::getpid());
    EXPECT_FALSE(first.host.empty());
    EXPECT_NE(first.incarnation, identity_of("node-1").incarnation);
}

}  // namespace
}  // namespace jobstrand::executor
