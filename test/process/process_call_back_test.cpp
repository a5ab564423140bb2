#include "test/process/http_service_fixture.hpp"
#include "test/tools/http/test_app.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace jobstrand {
namespace {

using schema::JobPlace;
using test::a_response;
using test::BackgroundProcess;
using test::TestApp;
using testing::HasSubstr;

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
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(test::kPatience), 0);
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

}  // namespace
}  // namespace jobstrand
