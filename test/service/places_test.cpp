#include "test/fixtures/signal.hpp"
#include "test/service/raw_client.hpp"
#include "tools/service/http/gates.hpp"
#include "tools/service/http/http_server.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace jobstrand {
namespace {

using test::get;
using test::RawClient;

/// A server with few places, a path for who is let in and one for anybody.
class ServerWithFewPlaces : public testing::Test {
protected:
    static constexpr std::size_t kPlaces = 8;

    using Clients = std::vector<std::unique_ptr<RawClient>>;

    void serve(std::chrono::seconds first_byte = std::chrono::minutes(10)) {
        service::ServerLimits limits;
        limits.connections = kPlaces;
        limits.first_byte = limits.first_byte_short = first_byte;
        server = std::make_unique<service::Server>(
            service::ListenAddress{.host = "127.0.0.1", .port = 0, .is_loopback = true},
            router,
            gate,
            counts,
            limits
        );
        server->start();
    }

    /// That send nothing. Whoever comes later is taken later.
    [[nodiscard]] Clients silent(std::size_t count, const std::string& from = "127.0.0.1") const {
        Clients clients;
        for (std::size_t i = 0; i < count; ++i) {
            clients.push_back(std::make_unique<RawClient>(server->port(), from));
        }
        return clients;
    }

    /// That keep their connections after an answer.
    [[nodiscard]] Clients served(std::size_t count) const {
        Clients clients;
        for (std::size_t i = 0; i < count; ++i) {
            clients.push_back(std::make_unique<RawClient>(server->port()));
            EXPECT_EQ(clients.back()->ask(get("/hello")).status, 200);
        }
        return clients;
    }

    [[nodiscard]] int ask(const std::string& path, const std::string& from = "127.0.0.1") const {
        return RawClient(server->port(), from).ask(get(path)).status;
    }

    static void hello(const service::Request& /*request*/, const service::Answer& answer) {
        answer({.status = 200, .body = "hello"});
    }

    const service::Router router{
        {{"GET", "/hello", service::Role::read, hello},
         {"GET", "/health", service::Role::anybody, hello}}};
    service::LocalGate gate;
    service::HttpCounts counts;
    std::unique_ptr<service::Server> server;
};

TEST_F(ServerWithFewPlaces, Silent_clients_lock_nobody_out) {
    serve();
    const Clients silent_ones = silent(5 * kPlaces);
    EXPECT_EQ(ask("/health", "127.0.0.2"), 200);
    EXPECT_EQ(ask("/hello", "127.0.0.2"), 200);
    EXPECT_TRUE(test::eventually([&] { return ask("/hello") == 200; }));
    EXPECT_LE(counts.open_connections, kPlaces + service::Places::kReserve);
}

TEST_F(ServerWithFewPlaces, Silent_clients_take_places_from_their_own_address_only) {
    serve();
    const Clients other = silent(1, "127.0.0.2");
    const Clients silent_ones = silent(5 * kPlaces);
    EXPECT_EQ(other.front()->ask(get("/hello")).status, 200);
}

TEST_F(ServerWithFewPlaces, Who_is_served_is_not_pushed_out_by_who_says_nothing) {
    serve();
    const Clients busy = served(2);
    const Clients silent_ones = silent(5 * kPlaces);
    for (const auto& client : busy) {
        EXPECT_EQ(client->ask(get("/hello")).status, 200);
    }
}

TEST_F(ServerWithFewPlaces, All_of_them_taken_health_is_answered_all_the_same) {
    serve();
    const Clients busy = served(kPlaces);
    EXPECT_EQ(ask("/hello"), 503);
    EXPECT_EQ(ask("/nowhere"), 503);
    EXPECT_EQ(ask("/health"), 200);
    const Clients silent_ones = silent(5 * service::Places::kReserve);
    EXPECT_EQ(ask("/health"), 200);
    for (const auto& client : busy) {
        EXPECT_EQ(client->ask(get("/hello")).status, 200);
    }
}

// Else all places would be of the reserve in the end, and whoever asks for health be pushed out.
TEST_F(ServerWithFewPlaces, A_place_that_is_left_is_not_taken_by_the_reserve) {
    serve();
    Clients busy = served(kPlaces);
    const Clients in_reserve = silent(service::Places::kReserve);
    EXPECT_EQ(ask("/health"), 200);
    busy.pop_back();
    EXPECT_TRUE(test::eventually([&] { return ask("/hello") == 200; }));
}

TEST_F(ServerWithFewPlaces, An_address_with_more_than_its_share_makes_room_for_others) {
    serve();
    const Clients busy = served(kPlaces);
    EXPECT_EQ(ask("/hello", "127.0.0.2"), 200);
    EXPECT_TRUE(busy.front()->is_closed());
    EXPECT_EQ(busy.back()->ask(get("/hello")).status, 200);
}

TEST_F(ServerWithFewPlaces, Without_a_first_byte_in_time_a_connection_is_closed) {
    serve(std::chrono::seconds(0));
    EXPECT_TRUE(RawClient(server->port()).is_closed());
    std::unique_ptr<RawClient> busy;
    EXPECT_TRUE(test::eventually([&] {
        busy = std::make_unique<RawClient>(server->port());
        return busy->ask(get("/hello")).status == 200;
    }));
    EXPECT_TRUE(RawClient(server->port()).is_closed());
    EXPECT_EQ(busy->ask(get("/hello")).status, 200);
}

TEST(Places, An_address_of_ipv6_stands_for_its_network) {
    using boost::asio::ip::make_address;
    const auto network = [](const char* text) {
        return service::network_of(make_address(text)).to_string();
    };
    EXPECT_EQ(network("192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(network("::ffff:192.0.2.7"), "192.0.2.7");
    EXPECT_EQ(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
}

}  // namespace
}  // namespace jobstrand
