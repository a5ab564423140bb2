#include "tools/text/http_address.hpp"

#include <gtest/gtest.h>

namespace jobstrand::cli {
namespace {

struct GoodUrl {
    const char* text;
    bool is_tls;
    const char* host;
    const char* port;
    const char* authority;
    const char* target;
};

TEST(HttpUrl, Says_whom_to_call_and_what_for) {
    const GoodUrl cases[] = {
        {"http://shop", false, "shop", "80", "shop", "/"},
        {"https://shop.example/jobs", true, "shop.example", "443", "shop.example", "/jobs"},
        {"http://127.0.0.1:8080/a/b?c=d", false, "127.0.0.1", "8080", "127.0.0.1:8080", "/a/b?c=d"},
        {"https://shop?x", true, "shop", "443", "shop", "/?x"},
        {"http://[::1]:81/", false, "::1", "81", "[::1]:81", "/"},
        {"https://[2001:db8::1]", true, "2001:db8::1", "443", "[2001:db8::1]", "/"},
    };
    for (const GoodUrl& test : cases) {
        const auto url = parse_http_url(test.text);
        ASSERT_TRUE(url) << test.text << " " << url.error().message;
        EXPECT_EQ(url.value().is_tls, test.is_tls) << test.text;
        EXPECT_EQ(url.value().host, test.host) << test.text;
        EXPECT_EQ(url.value().port, test.port) << test.text;
        EXPECT_EQ(url.value().authority, test.authority) << test.text;
        EXPECT_EQ(url.value().target, test.target) << test.text;
    }
}

TEST(HttpUrl, What_cannot_be_called_is_refused) {
    for (const char* text :
         {"",
          "shop",
          "ftp://shop",
          "http://",
          "http:///jobs",
          "http://:80",
          "http://shop:0",
          "http://shop:65536",
          "http://shop:8o",
          "http://shop:80:81",
          "http://[::1",
          "http://[]",
          "http://[::1]x",
          "http://user:secret@shop",
          "http://shop/#part",
          "http://shop/a b",
          "http://shop/\r\nx: y",
          "http://sh\xc3\xb6p"}) {
        EXPECT_FALSE(parse_http_url(text)) << text;
    }
}

}  // namespace
}  // namespace jobstrand::cli
