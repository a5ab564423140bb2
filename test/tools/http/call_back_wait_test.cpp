#include "test/tools/http/http_handler_fixture.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace jobstrand::cli {
namespace {

using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using executor::Succeeded;
using test::TestApp;

/// The app answers 202.
class CallBackWaitTest : public HttpHandlerTest {};

TEST_F(CallBackWaitTest, Without_a_time_for_call_backs_an_accepted_job_is_done) {
    const TestApp app(answers(202));
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(a_handler(at(app.port())))));
    EXPECT_EQ(app.requests().front()["jobstrand-callback-within"], "");
}

TEST_F(CallBackWaitTest, An_accepted_job_whose_call_back_does_not_come_has_failed) {
    const TestApp app(answers(202));
    TargetSettings target = at(app.port());
    target.call_back_within = 20ms;
    const HandlerResult result = run(a_handler(target));
    EXPECT_EQ(message_of(result), "target app: no call-back within PT0.02S");
    EXPECT_EQ(counts_.timed_out, 1);
    EXPECT_TRUE(std::get<Failed>(result).retryable);
    EXPECT_EQ(app.requests().front()["jobstrand-callback-within"], "PT0.02S");
}

TEST_F(CallBackWaitTest, A_call_back_has_no_more_time_than_its_job) {
    const TestApp app(answers(202));
    TargetSettings target = at(app.port());
    target.call_back_within = 1h;
    deadline_ = clock_.now() + 1s;
    EXPECT_EQ(message_of(run(a_handler(target))), "target app: no call-back within PT1S");
}

TEST_F(CallBackWaitTest, What_waits_for_a_call_back_takes_no_turn_and_ends_at_the_stop_signal) {
    const TestApp app(answers(202));
    TargetSettings target = at(app.port());
    target.calls = 1;
    target.call_back_within = 1h;
    const HttpHandler handler = a_handler(target);
    begin(handler);
    begin(handler);
    ASSERT_TRUE(test::eventually([&] { return app.requests().size() == 2; }));
    stop_.request_stop();
    for (const HandlerResult& result : wait_for(2)) {
        EXPECT_TRUE(std::holds_alternative<Interrupted>(result));
    }
    EXPECT_EQ(counts_.timed_out, 0);
}

}  // namespace
}  // namespace jobstrand::cli
