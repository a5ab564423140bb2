#include "test/fixtures/signal.hpp"
#include "test/service/raw_client.hpp"
#include "tools/service/http/http_server.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace jobstrand {
namespace {

using test::get;
using test::RawClient;

/// Lets everybody in until it is told not to.
class LeavingGate final : public service::Gate {
public:
    [[nodiscard]] std::optional<service::Response>
    refusal(const service::Request& request, service::Role /*needed*/) override {
        if (is_closed && request.header("Authorization") == "Bearer revoked") {
            return service::Response{.status = 401};
        }
        return std::nullopt;
    }
    [[nodiscard]] service::Visitor visitor(const service::Request& /*request*/) const override {
        return {};
    }

    std::atomic<bool> is_closed = false;
};

/// A server whose path /late answers when the test says so, and wants to know if in vain.
class Undelivered : public testing::Test {
protected:
    Undelivered() { server.start(); }

    /// Returns when the request is there: how to answer it.
    [[nodiscard]] service::Answer ask(RawClient& client, std::string_view headers = {}) {
        (void)client.send(get("/late", headers));
        return asked.get_future().get();
    }

    [[nodiscard]] service::Response response() {
        return {.status = 200, .body = "jobs", .undelivered = [this] { told.notify(); }};
    }

    std::promise<service::Answer> asked;
    test::Signal told;
    const service::Router router{
        {{"GET",
          "/late",
          service::Role::read,
          [this](const service::Request& /*request*/, service::Answer answer) {
              asked.set_value(std::move(answer));
          }}}};
    LeavingGate gate;
    service::HttpCounts counts;
    service::Server server{
        {.host = "127.0.0.1", .port = 0, .is_loopback = true},
        router,
        gate,
        counts,
        {}};
};

TEST_F(Undelivered, Is_what_a_client_did_not_wait_for) {
    auto client = std::make_unique<RawClient>(server.port());
    const service::Answer answer = ask(*client);
    client.reset();
    answer(response());
    EXPECT_TRUE(told.wait_for(1));
    EXPECT_TRUE(test::eventually([&] { return counts.open_connections == 0; }));
}

TEST_F(Undelivered, Is_nothing_that_a_client_got) {
    RawClient client(server.port());
    ask(client)(response());
    EXPECT_EQ(client.receive().body, "jobs");
    server.stop();
    EXPECT_EQ(told.count(), 0U);
}

TEST_F(Undelivered, Is_what_a_client_waited_for_that_may_not_have_it_any_more) {
    RawClient client(server.port());
    const service::Answer answer = ask(client, "Authorization: Bearer revoked\r\n");
    gate.is_closed = true;
    answer(response());
    const auto refusal = client.receive();
    EXPECT_EQ(refusal.status, 401);
    EXPECT_EQ(refusal.body, "");
    EXPECT_TRUE(told.wait_for(1));
}

TEST_F(Undelivered, Is_nothing_when_another_was_shut_out) {
    RawClient client(server.port());
    const service::Answer answer = ask(client, "Authorization: Bearer good\r\n");
    gate.is_closed = true;
    answer(response());
    EXPECT_EQ(client.receive().body, "jobs");
}

}  // namespace
}  // namespace jobstrand
