#include "executor/node_presence.hpp"
#include "schema/acquisition.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <thread>

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

// Containers have such names.
TEST(FreshLockOwner, Tells_a_host_whose_name_is_as_long_as_it_may_be) {
    const std::string longest(64, 'h');
    std::string owner;
    bool is_named = false;
    std::thread([&] {  // The name is another one for this thread alone.
        is_named =
            ::unshare(CLONE_NEWUTS) == 0 && ::sethostname(longest.data(), longest.size()) == 0;
        owner = fresh_lock_owner();
    })
        .join();
    if (!is_named) {
        GTEST_SKIP() << "the name of the host cannot be changed here";
    }
    EXPECT_EQ(schema::node_of(owner)->host, longest);
}

}  // namespace
}  // namespace jobstrand::executor
