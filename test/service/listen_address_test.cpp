#include "tools/text/http_address.hpp"

#include <gtest/gtest.h>

namespace jobstrand {
namespace {

using service::parse_listen_address;

TEST(ListenAddressTest, An_address_with_a_port_says_whether_others_reach_it) {
    EXPECT_TRUE(parse_listen_address("127.0.0.1:8080").value().is_loopback);
    EXPECT_TRUE(parse_listen_address("localhost:0").value().is_loopback);
    EXPECT_TRUE(parse_listen_address("8080").value().is_loopback);
    EXPECT_EQ(parse_listen_address("8080").value().port, 8080);
    EXPECT_EQ(parse_listen_address("[::1]:80").value().host, "::1");
    EXPECT_TRUE(parse_listen_address("[::1]:80").value().is_loopback);
    EXPECT_FALSE(parse_listen_address("0.0.0.0:80").value().is_loopback);
    EXPECT_FALSE(parse_listen_address("[::]:80").value().is_loopback);
    EXPECT_FALSE(parse_listen_address("10.0.0.7:80").value().is_loopback);
}

TEST(ListenAddressTest, Anything_else_is_refused) {
    for (const char* const text :
         {"",
          ":80",
          "127.0.0.1",
          "127.0.0.1:",
          "127.0.0.1:65536",
          "127.0.0.1:-1",
          "::1:80",
          "example.org:80",
          "[::1:80",
          "127.0.0.1:80x"}) {
        EXPECT_FALSE(parse_listen_address(text)) << text;
    }
}

}  // namespace
}  // namespace jobstrand
