#include "tools/calls/call_messages.hpp"

#include <gtest/gtest.h>

namespace jobstrand::cli {
namespace {

constexpr const char* kSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

// The example that the libraries of Standard Webhooks are tested with.
TEST(WebhookSignature, Is_that_of_standard_webhooks) {
    const auto secret = parse_webhook_secret(kSecret);
    ASSERT_TRUE(secret);
    EXPECT_EQ(
        webhook_signature(
            secret.value(), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"
        ),
        "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    );
}

TEST(WebhookSignature, A_secret_is_base64_of_enough_bytes) {
    EXPECT_EQ(parse_webhook_secret(kSecret).value().size(), 24U);
    const std::string bytes_32 = "whsec_" + std::string(43, 'A') + "=";
    EXPECT_EQ(parse_webhook_secret(bytes_32).value().size(), 32U);
    const std::string bytes_31 = "whsec_" + std::string(42, 'A') + "==";
    EXPECT_EQ(parse_webhook_secret(bytes_31).value().size(), 31U);
    for (const std::string& bad :
         {std::string(),
          std::string("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
          std::string("whsec_"),
          std::string("whsec_short"),
          std::string("whsec_AAAA"),
          "whsec_" + std::string(30, 'A'),
          "whsec_" + std::string(31, 'A') + "*",
          "whsec_" + std::string(400, 'A')}) {
        EXPECT_FALSE(parse_webhook_secret(bad)) << bad;
    }
}

}  // namespace
}  // namespace jobstrand::cli
