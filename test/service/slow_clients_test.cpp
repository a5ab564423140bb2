#include "test/fixtures/signal.hpp"
#include "test/service/server_fixture.hpp"

#include <memory>
#include <vector>

namespace jobstrand {
namespace {

using test::get;
using test::RawClient;
using test::ServerTest;

constexpr std::string_view kHalfAHead = "GET /hello HTTP/1.1\r\nHost: localhost\r\nX-Slow: ";
constexpr std::string_view kHalfABody =
    "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    "Content-Length: 100000\r\n\r\n";

// I8: the time is that of the whole head or body, however often a byte of it comes.
TEST_F(ServerTest, Many_who_send_a_byte_at_a_time_get_no_more_time_and_harm_nobody) {
    constexpr int slow_clients = 400;
    service::ServerLimits limits;
    limits.header = limits.body = std::chrono::seconds(1);
    limits.stop = std::chrono::seconds(0);
    serve(limits);
    std::vector<std::unique_ptr<RawClient>> slow;
    for (int i = 0; i < slow_clients; ++i) {
        slow.push_back(std::make_unique<RawClient>(server->port()));
        (void)slow.back()->send(i % 2 == 0 ? kHalfAHead : kHalfABody);
    }
    RawClient busy(server->port());
    EXPECT_TRUE(test::eventually([&] {
        for (const auto& client : slow) {
            (void)client->send("x");
        }
        EXPECT_EQ(busy.ask(get("/hello")).body, "hello");
        return counts.responses.at(4) == slow_clients;
    }));
    for (const auto& client : slow) {
        EXPECT_EQ(client->receive().status, 408);
    }
}

}  // namespace
}  // namespace jobstrand
