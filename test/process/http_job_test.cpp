#include "test/process/service_fixture.hpp"
#include "test/tools/http/test_app.hpp"

#include <fmt/format.h>
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
using test::ServiceTest;
using test::TestApp;

/// A service that calls an app.
class HttpJobTest : public ServiceTest {
protected:
    void add_jobs(std::size_t count) const {
        std::string lines;
        for (std::size_t i = 0; i < count; ++i) {
            lines += R"({"handlerType":"http","payload":{"target":"app"}})";
            lines += "\n";
        }
        expect_success({"job", "add", "--from", "-"}, lines);
    }

    [[nodiscard]] std::string target(std::uint16_t port, std::size_t calls) const {
        return fmt::format(
            "[targets.app]\nurl = \"http://127.0.0.1:{}/\"\ncalls = {}\n", port, calls
        );
    }

    [[nodiscard]] bool all_done() const {
        return test::eventually([&] { return count_all() == 0; });
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
    add_jobs(calls);
    const auto service = a_service();
    EXPECT_TRUE(all_done());
    EXPECT_EQ(ids_in(app).size(), calls);
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(test::kPatience), 0);
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
    add_jobs(jobs);
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
    add_jobs(3);
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
    add_jobs(2);
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return app.requests().size() == 2; }));
    service->send(SIGTERM);
    ASSERT_TRUE(service->wait_for_log("running jobs may finish"));
    EXPECT_EQ(count_all(), 2);
    app.answer_only(0);
    EXPECT_EQ(service->wait(test::kPatience), 0);
    EXPECT_EQ(count_all(), 0);
}

}  // namespace
}  // namespace jobstrand
