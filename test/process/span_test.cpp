#include "test/fixtures/loopback_port.hpp"
#include "test/process/http_service_fixture.hpp"
#include "test/tools/http/test_app.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace jobstrand {
namespace {

using test::a_response;
using test::TestApp;
using testing::HasSubstr;

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
    ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }));
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(test::kPatience), 0);

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
    ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }));
    EXPECT_THAT(
        test::RawClient(port).ask(test::get("/metrics")).body,
        HasSubstr("jobstrand_spans_exported_total 0")
    );
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(test::kPatience), 0);
}

}  // namespace
}  // namespace jobstrand
