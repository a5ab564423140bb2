#include "tools/handlers/http_handler.hpp"

#include "schema/clock.hpp"
#include "schema/text/time_text.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/loopback_port.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/tools/test_app.hpp"
#include "tools/calls/call_messages.hpp"
#include "tools/handlers/handler_payloads.hpp"
#include "tools/process/unique_fd.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::cli {

namespace {

using executor::Failed;
using executor::HandlerResult;
using executor::Interrupted;
using executor::Succeeded;
using test::a_response;
using test::TestApp;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;
using namespace std::chrono_literals;

/// A service whose configuration has one target, named `app`.
class HttpHandlerTest : public testing::Test {
protected:
    /// Begins a run; wait_for() says how it ended.
    void begin(
        const HttpHandler& handler,
        const std::string& payload = R"({"target":"app","order":17})"
    ) {
        jobs_.push_back(test::a_job("job 1/ä").of_type("http").with_payload(payload));
        jobs_.back().correlation_id = "order-17";
        handler(std::make_shared<executor::AsyncRun>(
            executor::JobContext{
                .job = jobs_.back(),
                .attempt = 2,
                .deadline = deadline_,
                .stop = stop_.get_token(),
                .fencing_token = 7,
                .trace_parent = trace_parent_},
            [this](executor::HandlerResult result) {
                const std::lock_guard lock(mutex_);
                results_.push_back(std::move(result));
                ended_.notify();
            }
        ));
    }

    /// The results, when there are so many.
    [[nodiscard]] std::vector<executor::HandlerResult> wait_for(std::size_t count) {
        EXPECT_TRUE(ended_.wait_for(count));
        const std::lock_guard lock(mutex_);
        return results_;
    }

    [[nodiscard]] executor::HandlerResult run(const HttpHandler& handler) {
        begin(handler);
        return wait_for(1).front();
    }

    [[nodiscard]] HttpHandler a_handler(TargetSettings target) {
        return HttpHandler(
            {.clock = clock_, .client = client_, .log = log_, .counts = &counts_},
            {{"app", std::move(target)}}
        );
    }

    /// For one call at a time, to an app that holds its answers.
    [[nodiscard]] HttpHandler a_handler_for_one_call(TestApp& app) {
        app.answer_only(1000);
        TargetSettings target = at(app.port());
        target.calls = 1;
        return a_handler(target);
    }

    [[nodiscard]] static TargetSettings at(std::uint16_t port) {
        return {.url = fmt::format("http://127.0.0.1:{}/jobs?by=jobstrand", port)};
    }

    [[nodiscard]] std::string a_secret_file() const {
        const std::string file = (directory_.path() / "secret").string();
        std::ofstream(file) << "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_read);
        return file;
    }

    const test::TemporaryDirectory directory_;
    schema::ManualClock clock_;
    std::optional<schema::TimePoint> deadline_;
    std::string trace_parent_;
    std::stop_source stop_;
    HandlerCounts counts_;
    test::RecordingLog log_;
    HttpClient client_;

private:
    std::deque<schema::Job> jobs_;
    test::Signal ended_;
    std::mutex mutex_;
    std::vector<executor::HandlerResult> results_;  ///< Guarded by mutex_.
};

[[nodiscard]] TestApp::Decide answers(unsigned status, const std::string& body = {}) {
    return [=](const TestApp::Request&) { return a_response(status, body); };
}

/// Of a failure.
[[nodiscard]] const std::string& message_of(const executor::HandlerResult& result) {
    static const std::string none = "no failure";
    const auto* failed = std::get_if<executor::Failed>(&result);
    return failed == nullptr ? none : failed->message;
}

TEST_F(HttpHandlerTest, Posts_the_payload_with_what_the_app_needs_to_know) {
    const TestApp app(answers(200));
    TargetSettings target = at(app.port());
    target.headers = {{"Authorization", "Bearer abc"}};
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(a_handler(target))));
    ASSERT_THAT(app.requests(), SizeIs(1));
    const TestApp::Request request = app.requests().front();
    EXPECT_EQ(request.method_string(), "POST");
    EXPECT_EQ(request.target(), "/jobs?by=jobstrand");
    EXPECT_EQ(request.body(), R"({"target":"app","order":17})");
    EXPECT_EQ(request["host"], fmt::format("127.0.0.1:{}", app.port()));
    EXPECT_EQ(request["content-type"], "application/json");
    EXPECT_EQ(request["authorization"], "Bearer abc");
    EXPECT_EQ(request["jobstrand-job-id"], "job%201%2F%C3%A4");
    EXPECT_EQ(request["jobstrand-correlation-id"], "order-17");
    EXPECT_EQ(request["jobstrand-attempt"], "2");
    EXPECT_EQ(request["jobstrand-fencing-token"], "7");
    EXPECT_EQ(request["jobstrand-deadline"], schema::format_instant(clock_.now() + 30s));
    EXPECT_EQ(request["webhook-id"], "job%201%2F%C3%A4");
    EXPECT_EQ(request["webhook-signature"], "") << "there is no secret";
}

TEST_F(HttpHandlerTest, Signs_what_it_sends) {
    const TestApp app(answers(200));
    TargetSettings target = at(app.port());
    target.secret_file = a_secret_file();
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(a_handler(target))));
    const TestApp::Request request = app.requests().front();
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(clock_.now()).time_since_epoch().count();
    EXPECT_EQ(request["webhook-timestamp"], std::to_string(seconds));
    EXPECT_EQ(
        request["webhook-signature"],
        webhook_signature(
            parse_webhook_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").value(),
            "job%201%2F%C3%A4",
            seconds,
            request.body()
        )
    );
}

TEST_F(HttpHandlerTest, The_app_is_told_of_the_trace_that_the_job_belongs_to) {
    const TestApp app(answers(200));
    (void)run(a_handler(at(app.port())));
    EXPECT_EQ(app.requests().front().count("traceparent"), 0U) << "there is none";
    trace_parent_ = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    begin(a_handler(at(app.port())));
    (void)wait_for(2);
    EXPECT_EQ(app.requests().back()["traceparent"], trace_parent_);
}

TEST_F(HttpHandlerTest, What_the_app_says_decides) {
    const TestApp app(answers(422, "no such order"));
    const HandlerResult result = run(a_handler(at(app.port())));
    EXPECT_EQ(message_of(result), "target app answered 422 Unprocessable Entity: no such order");
    EXPECT_FALSE(std::get<Failed>(result).retryable);
}

TEST_F(HttpHandlerTest, A_connection_serves_one_call_after_the_other) {
    const TestApp app(answers(204));
    const HttpHandler handler = a_handler(at(app.port()));
    for (std::size_t i = 1; i <= 3; ++i) {
        begin(handler);
        (void)wait_for(i);
    }
    EXPECT_THAT(app.requests(), SizeIs(3));
    EXPECT_EQ(app.connections(), 1U);
}

TEST_F(HttpHandlerTest, A_connection_that_the_app_has_closed_is_replaced) {
    std::atomic<int> requests = 0;
    const TestApp app([&](const TestApp::Request&) -> std::optional<TestApp::Response> {
        return ++requests == 2 ? std::nullopt : std::optional(a_response(200));
    });
    const HttpHandler handler = a_handler(at(app.port()));
    begin(handler);
    (void)wait_for(1);
    begin(handler);
    EXPECT_TRUE(std::holds_alternative<Succeeded>(wait_for(2).back()));
    EXPECT_EQ(requests, 3);
    EXPECT_EQ(app.connections(), 2U);
}

TEST_F(HttpHandlerTest, An_app_that_dies_under_a_call_is_called_again_later) {
    const TestApp app([](const TestApp::Request&) { return std::nullopt; });
    const HandlerResult result = run(a_handler(at(app.port())));
    EXPECT_THAT(message_of(result), HasSubstr("target app: no answer (127.0.0.1:"));
    EXPECT_TRUE(std::get<Failed>(result).retryable);
}

TEST_F(HttpHandlerTest, Nobody_there_is_a_failure) {
    const HandlerResult result = run(a_handler(at(static_cast<std::uint16_t>(test::free_port()))));
    EXPECT_THAT(message_of(result), HasSubstr("cannot connect"));
}

TEST_F(HttpHandlerTest, A_host_without_an_address_is_a_failure) {
    const HandlerResult result = run(a_handler({.url = "http://no-such-host.invalid/"}));
    EXPECT_THAT(message_of(result), HasSubstr("no address (no-such-host.invalid)"));
}

TEST_F(HttpHandlerTest, An_answer_that_does_not_come_in_time_is_not_waited_for) {
    TestApp app(answers(200));
    app.answer_only(1000);
    TargetSettings target = at(app.port());
    target.time_limit = 20ms;
    EXPECT_EQ(message_of(run(a_handler(target))), "target app gave no answer within PT0.02S");
    EXPECT_EQ(counts_.timed_out, 1);
}

TEST_F(HttpHandlerTest, The_deadline_of_the_job_counts_too) {
    TestApp app(answers(200));
    app.answer_only(1000);
    deadline_ = clock_.now() + 20ms;
    EXPECT_THAT(message_of(run(a_handler(at(app.port())))), HasSubstr("gave no answer"));
    EXPECT_EQ(
        app.requests().front()["jobstrand-deadline"], schema::format_instant(clock_.now() + 20ms)
    );
}

TEST_F(HttpHandlerTest, A_call_that_waits_for_its_turn_has_no_more_time_than_its_job) {
    TestApp app(answers(200));
    const HttpHandler handler = a_handler_for_one_call(app);
    begin(handler);
    ASSERT_TRUE(test::eventually([&] { return app.requests().size() == 1; }));
    deadline_ = clock_.now() + 1min;
    begin(handler);
    clock_.tick(2min);
    app.answer_only(1);
    const std::vector<HandlerResult> results = wait_for(2);
    EXPECT_TRUE(std::holds_alternative<Succeeded>(results[0]));
    EXPECT_THAT(message_of(results[1]), HasSubstr("gave no answer"));
}

TEST_F(HttpHandlerTest, The_stop_signal_ends_calls_wherever_they_are) {
    TestApp app(answers(200));
    const HttpHandler handler = a_handler_for_one_call(app);
    begin(handler);
    begin(handler);
    ASSERT_TRUE(test::eventually([&] { return app.requests().size() == 1; }));
    stop_.request_stop();
    for (const HandlerResult& result : wait_for(2)) {
        EXPECT_TRUE(std::holds_alternative<Interrupted>(result));
    }
    EXPECT_THAT(app.requests(), SizeIs(1)) << "the other one waited for its turn";
}

TEST_F(HttpHandlerTest, A_request_that_cannot_be_made_is_a_failure_and_the_next_one_has_its_turn) {
    const TestApp app(answers(200));
    TargetSettings settings = at(app.port());
    settings.calls = 1;
    const auto pool = std::make_shared<CallPool>(client_.context(), open_target("app", settings));
    client_.start();
    std::mutex mutex;
    std::vector<CallAnswer> answers;
    test::Signal answered;
    const auto call = [&](const CallPool::Prepare& prepare) {
        pool->call(prepare, {}, [&](CallAnswer answer) {
            const std::lock_guard lock(mutex);
            answers.push_back(std::move(answer));
            answered.notify();
        });
    };
    call([]() -> CallPool::Prepared { throw std::runtime_error("HMAC is not available"); });
    call([] {
        CallRequest request(boost::beast::http::verb::post, "/", 11);
        request.prepare_payload();
        return CallPool::Prepared{std::move(request), 10s};
    });
    ASSERT_TRUE(answered.wait_for(2));
    EXPECT_EQ(answers[0].error, "HMAC is not available");
    EXPECT_EQ(answers[0].kind, CallAnswer::Kind::failed);
    EXPECT_EQ(answers[1].status, 200);
}

TEST_F(HttpHandlerTest, Many_calls_are_under_way_at_once) {
    constexpr std::size_t calls = 200;
    TestApp app(answers(200));
    app.answer_only(calls);
    TargetSettings target = at(app.port());
    target.calls = calls;
    const HttpHandler handler = a_handler(target);
    for (std::size_t i = 0; i < calls; ++i) {
        begin(handler);
    }
    for (const HandlerResult& result : wait_for(calls)) {
        EXPECT_TRUE(std::holds_alternative<Succeeded>(result));
    }
}

TEST_F(HttpHandlerTest, No_more_than_the_target_says_are_under_way_at_once) {
    const TestApp app(answers(200));
    TargetSettings target = at(app.port());
    target.calls = 2;
    const HttpHandler handler = a_handler(target);
    for (int i = 0; i < 50; ++i) {
        begin(handler);
    }
    (void)wait_for(50);
    EXPECT_LE(app.connections(), 2U);
}

TEST_F(HttpHandlerTest, A_long_answer_is_cut) {
    const TestApp app(answers(500, std::string(100'000, 'x')));
    const HandlerResult result = run(a_handler(at(app.port())));
    EXPECT_LT(std::get<Failed>(result).details.size(), 20'000U);
    EXPECT_LT(message_of(result).size(), 300U);
}

TEST_F(HttpHandlerTest, An_answer_without_end_is_an_answer) {
    const TestApp app(answers(500, std::string(1'000'000, 'x')));
    EXPECT_THAT(message_of(run(a_handler(at(app.port())))), HasSubstr("answered 500"));
}

TEST_F(HttpHandlerTest, With_tls_the_app_has_to_be_who_the_url_names) {
    test::SelfSigned().write_to(directory_.path());
    const TestApp app(answers(200), directory_.path());
    const std::string ca_file = (directory_.path() / "cert.pem").string();
    const std::string url = fmt::format("https://localhost:{}/", app.port());
    const std::string by_address = fmt::format("https://127.0.0.1:{}/", app.port());

    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(a_handler({.url = url, .ca_file = ca_file})))
    );
    begin(a_handler({.url = url}));
    EXPECT_THAT(message_of(wait_for(2).back()), HasSubstr("cannot connect"));
    begin(a_handler({.url = by_address, .ca_file = ca_file}));
    EXPECT_THAT(message_of(wait_for(3).back()), HasSubstr("cannot connect"));
    EXPECT_THAT(app.requests(), SizeIs(1));
}

TEST_F(HttpHandlerTest, A_payload_names_a_target_of_the_configuration) {
    const HttpHandler handler = a_handler({.url = "http://localhost"});
    begin(handler, "no JSON");
    begin(handler, R"({"order":17})");
    begin(handler, R"({"target":["app"]})");
    begin(handler, R"({"target":"other"})");
    const std::vector<HandlerResult> results = wait_for(4);
    for (const std::size_t refused : {0U, 1U, 2U}) {
        EXPECT_FALSE(std::get<Failed>(results.at(refused)).retryable) << refused;
    }
    EXPECT_TRUE(std::holds_alternative<Interrupted>(results.back())) << "another node may have it";
    EXPECT_EQ(need_of_http(R"({"target":"other"})"), "[targets.other]");
    EXPECT_EQ(need_of_http("no JSON"), "");
}

TEST_F(HttpHandlerTest, A_process_without_a_descriptor_left_fails_no_job) {
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "the sanitizer itself needs descriptors";
#endif
    const TestApp app([](const TestApp::Request&) {
        TestApp::Response response = a_response(200);
        response.keep_alive(false);
        return std::optional(std::move(response));
    });
    const HttpHandler handler = a_handler(at(app.port()));
    EXPECT_TRUE(std::holds_alternative<Succeeded>(run(handler)));
    std::vector<UniqueFd> all;
    for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) {
        all.emplace_back(fd);
    }
    begin(handler);
    EXPECT_TRUE(std::holds_alternative<Interrupted>(wait_for(2).back()));
    EXPECT_THAT(log_.lines().at(0).fields, HasSubstr("Too many open files"));
    all.clear();
    begin(handler);
    EXPECT_TRUE(std::holds_alternative<Succeeded>(wait_for(3).back()));
}

TEST_F(HttpHandlerTest, A_secret_that_cannot_be_read_fails_no_job) {
    const Targets targets{
        {"app", {.url = "http://localhost", .secret_file = "/no/such/file"}},
        {"other", {.url = "http://localhost"}}};
    EXPECT_THAT(
        obstacles_to_targets(targets),
        testing::ElementsAre(
            AllOf(HasSubstr("[targets.app] secretFile"), HasSubstr("/no/such/file"))
        )
    );
    const HttpHandler handler({.clock = clock_, .client = client_, .log = log_}, targets);
    begin(handler);
    EXPECT_TRUE(std::holds_alternative<Interrupted>(wait_for(1).front()));
    EXPECT_THAT(log_.lines().at(0).fields, HasSubstr("/no/such/file"));
}

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

/// How an answer comes that nobody has asked for.
struct Stray {
    std::string name;
    unsigned status;
    bool is_in_one_piece;  ///< With the answer before it.
};

/// An app that answers the first call and the second one differently, and says more than that.
class StrayAnswer : public HttpHandlerTest, public testing::WithParamInterface<Stray> {
protected:
    [[nodiscard]] TestApp::Decide answers_then_fails() {
        return [this](const TestApp::Request&) {
            return std::optional(a_response(++requests_ == 1 ? 200 : 500));
        };
    }

    void expect_each_job_hears_of_itself(TestApp& app, const TargetSettings& target) {
        app.also_say(
            fmt::format("HTTP/1.1 {} Stray\r\nContent-Length: 0\r\n\r\n", GetParam().status),
            GetParam().is_in_one_piece
        );
        const HttpHandler handler = a_handler(target);
        EXPECT_TRUE(std::holds_alternative<Succeeded>(run(handler)));
        EXPECT_TRUE(test::eventually([&] { return GetParam().is_in_one_piece || app.strays() == 1; }
        ));
        begin(handler);
        EXPECT_THAT(message_of(wait_for(2).back()), StartsWith("target app answered 500"));
        EXPECT_EQ(app.connections(), 2U);
    }

private:
    std::atomic<int> requests_ = 0;
};

TEST_P(StrayAnswer, Ends_no_other_job) {
    TestApp app(answers_then_fails());
    expect_each_job_hears_of_itself(app, at(app.port()));
}

TEST_P(StrayAnswer, Ends_no_other_job_over_tls) {
    test::SelfSigned().write_to(directory_.path());
    TestApp app(answers_then_fails(), directory_.path());
    expect_each_job_hears_of_itself(
        app,
        {.url = fmt::format("https://localhost:{}/", app.port()),
         .ca_file = (directory_.path() / "cert.pem").string()}
    );
}

INSTANTIATE_TEST_SUITE_P(
    ,
    StrayAnswer,
    testing::Values(
        Stray{"success_with_the_answer", 200, true},
        Stray{"success_later", 200, false},
        Stray{"refusal_later", 400, false},
        Stray{"timeout_later", 408, false}
    ),
    [](const auto& stray) { return stray.param.name; }
);

// A proxy's timeout may be under way when the request is: the request was not read.
TEST_F(HttpHandlerTest, A_timeout_on_a_kept_connection_is_no_answer_to_the_request) {
    std::atomic<int> requests = 0;
    const TestApp app([&](const TestApp::Request&) {
        return std::optional(a_response(++requests == 2 ? 408 : 200));
    });
    const HttpHandler handler = a_handler(at(app.port()));
    begin(handler);
    (void)wait_for(1);
    begin(handler);
    EXPECT_TRUE(std::holds_alternative<Succeeded>(wait_for(2).back()));
    EXPECT_EQ(app.connections(), 2U);
}

}  // namespace

}  // namespace jobstrand::cli
