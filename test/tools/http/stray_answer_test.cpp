#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/signal.hpp"
#include "test/tools/http/http_handler_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <variant>

namespace jobstrand::cli {
namespace {

using executor::Succeeded;
using test::TestApp;
using testing::StartsWith;

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
            return std::optional(test::a_response(++requests_ == 1 ? 200 : 500));
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
        return std::optional(test::a_response(++requests == 2 ? 408 : 200));
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
