#include "schema/clock.hpp"
#include "test/fixtures/recording_log.hpp"
#include "tools/calls/call_messages.hpp"
#include "tools/handlers/place_faults.hpp"
#include "tools/text/http_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace jobstrand::cli {

namespace {

using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using executor::Succeeded;
using testing::HasSubstr;
using namespace std::chrono_literals;

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

const schema::TimePoint kAnswered{std::chrono::sys_days{2026y / 11 / 23} + 12h};

CallAnswer an_answer(int status, std::string retry_after = {}) {
    return {
        .kind = CallAnswer::Kind::answered,
        .status = status,
        .reason = "Reason",
        .retry_after = std::move(retry_after),
        .body = "\n first line\nsecond line"};
}

HandlerResult result_of(const CallAnswer& answer, const TargetSettings& target = {}) {
    return result_of_call("shop", target, answer, kAnswered);
}

/// `done`, `again`, `dead` or `waits`.
std::string outcome(const HandlerResult& result) {
    if (std::holds_alternative<Succeeded>(result)) {
        return "done";
    }
    const auto* failed = std::get_if<Failed>(&result);
    return failed == nullptr ? "waits" : (failed->retryable ? "again" : "dead");
}

TEST(CallAnswer, Its_status_decides_what_becomes_of_the_job) {
    const std::pair<int, const char*> cases[] = {
        {200, "done"},  {204, "done"},  {299, "done"},  {301, "dead"},  {302, "dead"},
        {400, "dead"},  {401, "dead"},  {404, "dead"},  {408, "again"}, {409, "again"},
        {410, "dead"},  {422, "dead"},  {425, "again"}, {429, "again"}, {500, "again"},
        {502, "again"}, {503, "again"}, {504, "again"}, {599, "again"},
    };
    for (const auto& [status, expected] : cases) {
        EXPECT_EQ(outcome(result_of(an_answer(status))), expected) << status;
    }
    EXPECT_EQ(outcome(result_of(an_answer(404), {.retry_statuses = {404}})), "again");
    EXPECT_EQ(outcome(result_of(an_answer(400), {.retry_statuses = {404}})), "dead");
}

TEST(CallAnswer, Only_202_is_accepted_and_only_where_a_call_back_is_awaited) {
    const TargetSettings awaits{.call_back_within = 1h};
    EXPECT_TRUE(is_accepted(awaits, an_answer(202)));
    EXPECT_FALSE(is_accepted({}, an_answer(202)));
    for (const int status : {200, 201, 204, 302, 422, 503}) {
        EXPECT_FALSE(is_accepted(awaits, an_answer(status))) << status;
    }
    EXPECT_FALSE(is_accepted(awaits, {.kind = CallAnswer::Kind::timed_out, .status = 202}));
}

TEST(CallAnswer, A_failure_tells_the_status_and_keeps_the_body) {
    const HandlerResult result = result_of(an_answer(500));
    const auto& failed = std::get<Failed>(result);
    EXPECT_EQ(failed.message, "target shop answered 500 Reason: first line");
    EXPECT_THAT(failed.details, HasSubstr("second line"));
    EXPECT_THAT(
        std::get<Failed>(result_of(an_answer(302))).message, HasSubstr("redirects are not followed")
    );
}

TEST(CallAnswer, Who_is_told_to_come_later_comes_later_and_uses_no_retry) {
    const std::pair<const char*, schema::Duration> cases[] = {
        {"120", 2min},
        {"0", 1s},
        {"-5", 1s},
        {"99999999999", 24h},
        {"Mon, 23 Nov 2026 12:00:30 GMT", 30s},
        {"Mon, 23 Nov 2026 11:00:00 GMT", 1s},
        {"Wed, 23 Nov 2050 12:00:00 GMT", 24h},
    };
    for (const auto& [text, wait] : cases) {
        for (const int status : {429, 503}) {
            const HandlerResult result = result_of(an_answer(status, text));
            ASSERT_TRUE(std::holds_alternative<Interrupted>(result)) << text;
            EXPECT_EQ(std::get<Interrupted>(result).wait, wait) << text;
        }
    }
    EXPECT_EQ(outcome(result_of(an_answer(503, "soon"))), "again");
    EXPECT_EQ(outcome(result_of(an_answer(500, "120"))), "again");
}

TEST(CallAnswer, Waits_use_retries_where_the_target_says_so) {
    const HandlerResult result = result_of(an_answer(503, "120"), {.waits_use_retries = true});
    EXPECT_EQ(outcome(result), "again");
    EXPECT_EQ(std::get<Failed>(result).retry_after, 2min);
}

TEST(CallAnswer, Without_an_answer_the_job_is_tried_again) {
    const HandlerResult broken =
        result_of({.kind = CallAnswer::Kind::failed, .error = "cannot connect (shop): refused"});
    EXPECT_EQ(std::get<Failed>(broken).message, "target shop: cannot connect (shop): refused");
    EXPECT_EQ(outcome(broken), "again");
    const HandlerResult late = result_of({.kind = CallAnswer::Kind::timed_out});
    EXPECT_EQ(std::get<Failed>(late).message, "target shop gave no answer within PT30S");
    EXPECT_EQ(outcome(result_of({.kind = CallAnswer::Kind::stopped})), "waits");
}

class PlaceFaultsTest : public testing::Test {
protected:
    [[nodiscard]] schema::Duration wait_of(std::string_view what) {
        return faults_.put_off(what, "no such file").wait;
    }

    schema::ManualClock clock_;
    test::RecordingLog log_;
    PlaceFaults faults_{clock_, log_};
};

TEST_F(PlaceFaultsTest, Jobs_wait_as_long_as_the_fault_has_lasted) {
    EXPECT_EQ(wait_of("command a"), 5s);
    clock_.tick(4s);
    EXPECT_EQ(wait_of("command a"), 5s);
    clock_.tick(56s);
    EXPECT_EQ(wait_of("command a"), 60s);
    EXPECT_EQ(wait_of("command b"), 5s) << "it is another fault";
    clock_.tick(1h);
    EXPECT_EQ(wait_of("command a"), 5min);
}

TEST_F(PlaceFaultsTest, The_log_says_once_that_a_fault_begins_and_that_it_is_over) {
    for (int job = 0; job < 10; ++job) {
        (void)wait_of("command a");
    }
    EXPECT_EQ(log_.lines().size(), 1U);
    faults_.began("command b");
    EXPECT_EQ(log_.lines().size(), 1U);
    faults_.began("command a");
    faults_.began("command a");
    EXPECT_EQ(log_.lines().size(), 2U);
    EXPECT_EQ(wait_of("command a"), 5s) << "it begins anew";
}

}  // namespace

}  // namespace jobstrand::cli
