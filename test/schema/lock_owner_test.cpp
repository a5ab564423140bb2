#include "schema/acquisition.hpp"
#include "schema/limits.hpp"

#include <gtest/gtest.h>

namespace jobstrand::schema {
namespace {

TEST(LockOwner, Tells_host_and_process) {
    EXPECT_EQ(
        lock_owner_of({.host = "web-1", .process = 4711}, {0xab, 0xcd}),
        "web-1:4711:00000000000000ab00000000000000cd"
    );
    EXPECT_EQ(
        node_of("web-1.example.org:4711:000000000000000000000000000000ab"),
        (NodeAddress{.host = "web-1.example.org", .process = 4711})
    );
}

TEST(LockOwner, Of_any_host_can_be_stored_and_read_back) {
    const std::string odd = lock_owner_of({.host = "a:b c\xc3\xb8", .process = 1}, {1, 2});
    EXPECT_EQ(node_of(odd), (NodeAddress{.host = "a-b-c--", .process = 1}));
    const NodeAddress longest{.host = std::string(300, 'x'), .process = 4'194'304};
    const std::string owner = lock_owner_of(longest, {~std::uint64_t{0}, ~std::uint64_t{0}});
    EXPECT_EQ(owner.size(), 64U + 1U + 7U + 1U + 32U);
    EXPECT_LE(owner.size(), limits::kNameLength);
    EXPECT_EQ(node_of(owner)->process, 4'194'304);
}

TEST(LockOwner, Of_another_form_tells_no_node) {
    for (const std::string_view other :
         {"",
          "node-1",
          "a:1",
          "a:1:2",
          "a:1:00000000000000ab",
          ":1:000000000000000000000000000000ab",
          "a:x:000000000000000000000000000000ab",
          "a:1:000000000000000000000000000000aX",
          "a::000000000000000000000000000000ab",
          "a:1:2:000000000000000000000000000000ab",
          "01a1f7a8-83d2-7002-9bf7-3ae1d0961449",
          "waiting for an exclusive job"}) {
        EXPECT_EQ(node_of(other), std::nullopt) << other;
    }
}

}  // namespace
}  // namespace jobstrand::schema
