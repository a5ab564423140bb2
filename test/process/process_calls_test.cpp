#include "test/fixtures/loopback_port.hpp"
#include "test/process/service_fixture.hpp"
#include "test/tools/test_app.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace jobstrand {

namespace {

using schema::JobPlace;
using test::a_response;
using test::BackgroundProcess;
using test::ServiceTest;
using test::TestApp;
using testing::HasSubstr;

/// A service that calls an app.
class HttpJobTest : public ServiceTest {
protected:
    void add_calls(std::size_t count) const {
        add_jobs(count, R"({"handlerType":"http","payload":{"target":"app"}})");
    }

    [[nodiscard]] std::string target(std::uint16_t port, std::size_t calls) const {
        return fmt::format(
            "[targets.app]\nurl = \"http://127.0.0.1:{}/\"\ncalls = {}\n", port, calls
        );
    }

    [[nodiscard]] static std::set<std::string> ids_in(const TestApp& app) {
        std::set<std::string> ids;
        for (const TestApp::Request& request : app.requests()) {
            ids.emplace(request["webhook-id"]);
        }
        return ids;
    }
};

/// This process is the app: its connections are as many.
void allow_connections(rlim_t count) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = std::min(std::max(limit.rlim_cur, count), limit.rlim_max);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST_F(HttpJobTest, Two_thousand_calls_are_under_way_at_once_on_two_threads) {
    constexpr std::size_t calls = 2000;
    allow_connections(2 * calls);
    TestApp app([](const TestApp::Request&) { return a_response(200); });
    app.answer_only(calls);
    configure(
        "corePoolSize = 2\nmaxPoolSize = 2\nmaxAsyncRuns = 2000\n" + target(app.port(), calls)
    );
    add_calls(calls);
    const auto service = a_service();
    EXPECT_TRUE(all_done());
    EXPECT_EQ(ids_in(app).size(), calls);
    expect_stop(*service);
}

TEST_F(HttpJobTest, An_app_that_dies_in_the_middle_loses_nothing) {
    constexpr std::size_t jobs = 300;
    std::size_t answered = 0;
    auto app =
        std::make_unique<TestApp>([&](const TestApp::Request&) -> std::optional<TestApp::Response> {
            return ++answered > jobs / 4 ? std::nullopt : std::optional(a_response(200));
        });
    const std::uint16_t port = app->port();
    configure("failedJobRetryTimeCycle = \"R100/PT0.05S\"\n" + target(port, 10));
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));
    add_calls(jobs);
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::timer) > 0; })) << "some have failed";
    std::set<std::string> called = ids_in(*app);
    app.reset();

    const TestApp back([](const TestApp::Request&) { return a_response(200); }, port);
    EXPECT_TRUE(all_done());
    called.merge(ids_in(back));
    EXPECT_EQ(called.size(), jobs);
}

TEST_F(HttpJobTest, A_service_that_is_killed_calls_again) {
    TestApp app([](const TestApp::Request&) { return a_response(200); });
    app.answer_only(5);  // The second calls of all three make it six.
    configure("nodeLease = 300\n" + target(app.port(), 10));
    add_calls(3);
    {
        const auto service = a_service();
        ASSERT_TRUE(test::eventually([&] { return app.requests().size() == 3; }));
        service->send(SIGKILL);
        (void)service->wait(test::kPatience);
    }
    const auto second = a_service();
    EXPECT_TRUE(all_done());
    EXPECT_EQ(ids_in(app).size(), 3U);
    EXPECT_EQ(app.requests().size(), 6U);
}

TEST_F(HttpJobTest, Sigterm_waits_for_the_answers_of_calls_under_way) {
    TestApp app([](const TestApp::Request&) { return a_response(200); });
    app.answer_only(3);
    configure(target(app.port(), 10));
    add_calls(2);
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return app.requests().size() == 2; }));
    service->send(SIGTERM);
    ASSERT_TRUE(service->wait_for_log("running jobs may finish"));
    EXPECT_EQ(count_all(), 2);
    app.answer_only(0);
    EXPECT_EQ(service->wait(test::kPatience), 0);
    EXPECT_EQ(count_all(), 0);
}

/// A service that calls an app, which accepts every job with 202.
class CallBackProcessTest : public test::HttpServiceTest {
protected:
    void configure_app(const std::string& within, const std::string& more = {}) const {
        configure(fmt::format(
            "{}[targets.app]\nurl = \"http://127.0.0.1:{}/\"\ncallbackWithin = \"{}\"\n",
            more,
            app.port(),
            within
        ));
    }

    void add_job() const {
        expect_success({"job", "add", "--type", "http", "--payload", R"({"target":"app"})"});
    }

    [[nodiscard]] bool is_called(std::size_t times) const {
        return test::eventually([&] { return app.requests().size() >= times; });
    }

    /// What the app does later: it sends back what the call had.
    [[nodiscard]] test::RawResponse call_back(std::size_t call) const {
        const TestApp::Request request = app.requests().at(call);
        return test::RawClient(port).ask(test::post(
            fmt::format("/api/v1/jobs/{}/outcome", std::string(request["jobstrand-job-id"])),
            R"({"outcome":"done"})",
            fmt::format(
                "jobstrand-fencing-token: {}\r\n", std::string(request["jobstrand-fencing-token"])
            )
        ));
    }

    const TestApp app{[](const TestApp::Request&) { return a_response(202); }};
};

TEST_F(CallBackProcessTest, A_job_that_the_app_accepted_waits_for_its_call) {
    configure_app("PT10M");
    const auto service = a_listening_service();
    add_job();
    ASSERT_TRUE(is_called(1));
    EXPECT_EQ(count(JobPlace::executable), 1);
    EXPECT_EQ(call_back(0).status, 204);
    EXPECT_EQ(count_all(), 0);
    EXPECT_EQ(call_back(0).status, 404);
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(test::kPatience), 0) << "nothing is under way any more";
    EXPECT_THAT(service->log(), testing::Not(HasSubstr("discarded")));
}

TEST_F(CallBackProcessTest, An_app_that_never_calls_fails_the_attempt) {
    configure_app("PT0.1S", "failedJobRetryTimeCycle = \"R2/PT0.05S\"\n");
    const auto service = a_listening_service();
    add_job();
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::dead_letter) == 1; }));
    EXPECT_EQ(app.requests().size(), 2U);
    EXPECT_THAT(service->log(), HasSubstr("no call-back within PT0.1S"));
    EXPECT_EQ(call_back(1).status, 409);
}

TEST_F(CallBackProcessTest, After_a_crash_only_the_second_attempt_can_be_ended) {
    configure_app("PT10M", "nodeLease = 300\n");
    {
        const auto service = a_listening_service();
        add_job();
        ASSERT_TRUE(is_called(1));
        service->kill();
    }
    const auto second = a_listening_service();
    ASSERT_TRUE(is_called(2));
    const test::RawResponse late = call_back(0);
    EXPECT_EQ(late.status, 409);
    EXPECT_THAT(late.body, HasSubstr("another attempt"));
    EXPECT_EQ(count(JobPlace::executable), 1);
    EXPECT_EQ(call_back(1).status, 204);
    EXPECT_EQ(count_all(), 0);
}

TEST_F(CallBackProcessTest, Any_node_takes_the_call) {
    lock_ms = 1000;
    configure_app("PT10M");
    const auto runs = std::make_unique<BackgroundProcess>(command({"serve"}), path("runs.log"));
    add_job();
    ASSERT_TRUE(is_called(1));
    const auto answers = a_listening_service({"--no-executor"});
    EXPECT_EQ(call_back(0).status, 204);
    EXPECT_EQ(count_all(), 0);
    EXPECT_TRUE(runs->wait_for_log("result discarded: the lock was lost"));
    runs->send(SIGTERM);
    EXPECT_EQ(runs->wait(test::kPatience), 0);
    EXPECT_EQ(count_all(), 0);
}

TEST_F(CallBackProcessTest, A_stop_gives_back_what_waits_for_a_call) {
    configure_app("PT10M", "awaitTerminationPeriod = 100\n");
    const auto service = a_listening_service();
    add_job();
    ASSERT_TRUE(is_called(1));
    expect_stop(*service);
    const auto timers = store->jobs().list(JobPlace::timer, {}, "", 2);
    ASSERT_EQ(timers.size(), 1U);
    EXPECT_EQ(timers[0].retries, 3) << "no retry is used";
}

TEST_F(CallBackProcessTest, A_call_counts_while_the_service_stops) {
    configure_app("PT10M");
    const auto service = a_listening_service();
    add_job();
    ASSERT_TRUE(is_called(1));
    service->send(SIGTERM);
    ASSERT_TRUE(service->wait_for_log("running jobs may finish"));
    EXPECT_EQ(call_back(0).status, 204);
    EXPECT_EQ(service->wait(test::kPatience), 0);
    EXPECT_EQ(count_all(), 0);
}

class SpanProcessTest : public test::HttpServiceTest {};

TEST_F(SpanProcessTest, A_service_that_stops_has_sent_the_spans_of_its_runs) {
    const TestApp app([](const TestApp::Request&) { return a_response(200); });
    const TestApp collector([](const TestApp::Request&) { return a_response(200); });
    configure(fmt::format(
        "otlpEndpoint = \"http://127.0.0.1:{}\"\n[targets.app]\nurl = \"http://127.0.0.1:{}/\"\n",
        collector.port(),
        app.port()
    ));
    const auto service = a_listening_service();
    const test::RawResponse added = test::RawClient(port).ask(test::post(
        "/api/v1/jobs",
        R"({"handlerType":"http","payload":{"target":"app"}})",
        "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n"
    ));
    ASSERT_EQ(added.status, 201) << added.body;
    ASSERT_TRUE(all_done());
    expect_stop(*service);

    const std::string told(app.requests().at(0)["traceparent"]);
    EXPECT_THAT(told, testing::StartsWith("00-4bf92f3577b34da6a3ce929d0e0e4736-"));
    ASSERT_EQ(collector.requests().size(), 1U);
    const std::string body = collector.requests().at(0).body();
    EXPECT_THAT(body, HasSubstr(R"("parentSpanId":"00f067aa0ba902b7")"));
    EXPECT_THAT(body, HasSubstr(R"("spanId":")" + told.substr(36, 16) + '"'))
        << "what the app was told is the span of the attempt";
    EXPECT_THAT(body, HasSubstr(R"("stringValue":"completed")"));
}

TEST_F(SpanProcessTest, A_service_without_its_collector_runs_jobs_and_stops) {
    configure(fmt::format("otlpEndpoint = \"http://127.0.0.1:{}\"\n", test::free_port()));
    const auto service = a_listening_service();
    expect_success({"job", "add", "--type", "noop"});
    ASSERT_TRUE(all_done());
    EXPECT_THAT(
        test::RawClient(port).ask(test::get("/metrics")).body,
        HasSubstr("jobstrand_spans_exported_total 0")
    );
    expect_stop(*service);
}

}  // namespace

}  // namespace jobstrand
