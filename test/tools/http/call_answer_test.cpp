#include "tools/calls/call_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using executor::Succeeded;
using testing::HasSubstr;

const schema::TimePoint kNow{std::chrono::sys_days{2026y / 11 / 23} + 12h};

CallAnswer an_answer(int status, std::string retry_after = {}) {
    return {
        .kind = CallAnswer::Kind::answered,
        .status = status,
        .reason = "Reason",
        .retry_after = std::move(retry_after),
        .body = "\n first line\nsecond line"};
}

HandlerResult result_of(const CallAnswer& answer, const TargetSettings& target = {}) {
    return result_of_call("shop", target, answer, kNow);
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

}  // namespace
}  // namespace jobstrand::cli
