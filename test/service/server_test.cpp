#include "schema/log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/raw_client.hpp"
#include "test/service/server_fixture.hpp"
#include "tools/service/http/gates.hpp"
#include "tools/service/http/http_server.hpp"
#include "tools/service/http/work_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand {

namespace {

using test::get;
using test::post;
using test::RawClient;
using test::ServerTest;
using testing::HasSubstr;

TEST_F(ServerTest, One_connection_carries_many_requests_also_when_they_are_sent_at_once) {
    serve(small_limits());
    RawClient client(server->port());
    EXPECT_EQ(client.ask(get("/hello")).body, "hello");
    EXPECT_EQ(client.ask(post("/echo", "[1]")).body, "[1]");
    (void)client.send(get("/hello") + post("/echo", "[2]"));
    EXPECT_EQ(client.receive().body, "hello");
    EXPECT_EQ(client.receive().body, "[2]");
    EXPECT_EQ(counts.connections, 1);
    EXPECT_EQ(counts.responses.at(2), 4);
}

TEST_F(ServerTest, HEAD_is_answered_as_GET_without_the_body) {
    serve(small_limits());
    RawClient client(server->port());
    (void)client.send("HEAD /hello HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/hello"));
    const std::string first = client.receive_until("\r\n\r\n");
    EXPECT_THAT(first, HasSubstr("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(first, HasSubstr("Content-Length: 5\r\n"));
    const auto second = client.receive();
    EXPECT_EQ(second.status, 200) << "nothing stands between";
    EXPECT_EQ(second.body, "hello");
    (void)client.send("HEAD /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n" + get("/hello"));
    EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("HTTP/1.1 404 Not Found\r\n"));
    EXPECT_EQ(client.receive().body, "hello");
}

TEST_F(ServerTest, The_client_says_when_a_connection_ends) {
    serve(small_limits());
    RawClient client(server->port());
    EXPECT_EQ(client.ask(get("/hello", "Connection: close\r\n")).status, 200);
    EXPECT_TRUE(client.is_closed());
    RawClient old(server->port());
    EXPECT_EQ(old.ask("GET /hello HTTP/1.0\r\n\r\n").status, 421);  // It names no host.
    EXPECT_TRUE(old.is_closed());
}

TEST_F(ServerTest, Beyond_the_limit_of_connections_clients_are_turned_away_and_the_others_served) {
    serve(small_limits());
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 4; ++i) {
        clients.push_back(std::make_unique<RawClient>(server->port()));
        ASSERT_EQ(clients.back()->ask(get("/hello")).status, 200);
    }
    RawClient fifth(server->port());
    EXPECT_EQ(fifth.receive().status, 503);
    EXPECT_TRUE(fifth.is_closed());
    EXPECT_EQ(clients.front()->ask(get("/hello")).status, 200);
    EXPECT_EQ(counts.refused_connections, 1);
}

TEST_F(ServerTest, Headers_and_bodies_have_a_longest_length) {
    serve(small_limits());
    EXPECT_EQ(ask(get("/hello", "X-Long: " + std::string(2000, 'x') + "\r\n")).status, 431);
    EXPECT_EQ(ask(get("/" + std::string(3000, 'x'))).status, 431);
    EXPECT_EQ(ask(post("/echo", std::string(2000, ' '))).status, 200);
    EXPECT_EQ(ask(post("/echo", std::string(2001, ' '))).status, 413);
    const std::string chunk = "400\r\n" + std::string(1024, ' ') + "\r\n";
    const std::string head =
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(ask(head + chunk + "0\r\n\r\n").status, 200);
    EXPECT_EQ(ask(head + chunk + chunk + "0\r\n\r\n").status, 413);
}

TEST_F(ServerTest, A_body_that_is_refused_is_refused_before_it_is_sent) {
    serve(small_limits());
    EXPECT_EQ(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: 99999999\r\n\r\n")
            .status,
        413
    );
    EXPECT_EQ(
        ask("POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n").status, 404
    );
    EXPECT_EQ(
        ask("POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
            "Content-Length: 10\r\n\r\n")
            .status,
        415
    );
    EXPECT_EQ(
        ask("GET /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n").status, 413
    );
}

TEST_F(ServerTest, Bodies_together_have_a_bound_as_well) {
    serve(small_limits());
    RawClient slow(server->port());
    (void)slow.send(
        "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 2000\r\nExpect: 100-continue\r\n\r\n"
    );
    EXPECT_EQ(slow.receive().status, 100);
    EXPECT_EQ(ask(post("/echo", std::string(1500, ' '))).status, 503);
    EXPECT_EQ(slow.ask(std::string(2000, ' ')).status, 200);
    EXPECT_EQ(ask(post("/echo", std::string(1500, ' '))).status, 200);
}

TEST_F(ServerTest, Who_sends_half_a_request_is_told_that_it_took_too_long) {
    service::ServerLimits limits = small_limits();
    limits.header = limits.body = limits.idle = std::chrono::seconds(0);
    serve(limits);
    EXPECT_EQ(ask("GET /hello HT").status, 408);
    RawClient idle(server->port());
    EXPECT_TRUE(idle.is_closed());
}

TEST_F(ServerTest, Stopping_closes_idle_connections_and_waits_for_answers_within_its_limit) {
    serve(small_limits());
    RawClient idle(server->port());
    EXPECT_EQ(idle.ask(get("/hello")).status, 200);
    RawClient waiting(server->port());
    (void)waiting.send("POST /never HTTP/1.1\r\nHost: localhost\r\n\r\n");
    RawClient other(server->port());
    EXPECT_EQ(other.ask(get("/hello")).status, 200);
    server->stop();
    EXPECT_TRUE(idle.is_closed());
    EXPECT_TRUE(waiting.is_closed());
    held_back = {};
}

/// A server whose handlers do what they are told.
class ServerInNeed : public ServerTest {
protected:
    explicit ServerInNeed()
        : needy(
              {{"GET",
                "/now",
                service::Role::read,
                [](const auto&, const auto&) { throw std::bad_alloc(); }},
               {"GET",
                "/soon",
                service::Role::read,
                pool.wrap([](const auto&) -> service::Response { throw std::bad_alloc(); })},
               {"GET", "/long", service::Role::read, answer_long},
               {"POST", "/long", service::Role::worker, answer_long},
               {"GET", "/hello", service::Role::read, hello}}
          ) {
        service::ServerLimits limits = small_limits();
        limits.all_answer_bytes = 100'000;
        serve(needy, limits);
    }

    static void answer_long(const service::Request& request, const service::Answer& answer) {
        answer({.status = 200, .body = std::string(request.query().empty() ? 200'000 : 70'000, 'x')}
        );
    }

    schema::SilentLog log;
    service::WorkPool pool{1, 1, log};
    const service::Router needy;
};

TEST_F(ServerInNeed, A_request_without_the_memory_for_it_is_told_to_come_again) {
    for (const char* const path : {"/now", "/soon"}) {
        RawClient client(server->port());
        const auto response = client.ask(get(path));
        EXPECT_EQ(response.status, 503) << path;
        EXPECT_THAT(response.head, HasSubstr("Retry-After: 1\r\n"));
        EXPECT_THAT(response.body, HasSubstr("not enough memory"));
        EXPECT_EQ(client.ask(get("/hello")).status, 200);
    }
    EXPECT_EQ(ask(get("/soon")).status, 503) << "it was not counted for ever";
}

TEST_F(ServerInNeed, Long_answers_have_a_bound_together_but_what_was_done_is_told) {
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(ask(get("/long?less")).status, 200);
    }
    const auto response = ask(get("/long"));
    EXPECT_EQ(response.status, 503);
    EXPECT_THAT(response.head, HasSubstr("Retry-After: 1\r\n"));
    EXPECT_EQ(ask("POST /long HTTP/1.1\r\nHost: localhost\r\n\r\n").body.size(), 200'000U);
}

TEST(WorkPool, Who_reads_much_keeps_nobody_else_waiting) {
    schema::SilentLog log;
    test::Signal begun;
    test::Signal may_end;
    test::Signal ended;
    service::WorkPool pool(2, 100, log);
    const service::Handler read = pool.wrap([&](const service::Request&) {
        begun.notify();
        EXPECT_TRUE(may_end.wait_for(1));
        return service::Response{};
    });
    const service::Handler work = pool.wrap([](const auto&) { return service::Response{}; });
    const service::Handler health =
        pool.wrap_urgent([](const auto&) { return service::Response{}; });
    for (int i = 0; i < 50; ++i) {
        read({.method = "GET", .target = "/"}, [](const auto&) {});
    }
    EXPECT_TRUE(begun.wait_for(1));
    work({.method = "POST", .target = "/"}, [&](const auto&) { ended.notify(); });
    health({.method = "GET", .target = "/"}, [&](const auto&) { ended.notify(); });
    EXPECT_TRUE(ended.wait_for(2));
    EXPECT_EQ(begun.count(), 1U) << "as many as there are threads for them";
    may_end.notify();
    pool.stop();
}

TEST_F(ServerTest, Answers_are_not_kept_by_anybody_on_the_way) {
    serve(small_limits());
    const std::string head = ask(get("/hello")).head;
    EXPECT_THAT(head, HasSubstr("Cache-Control: no-store\r\n"));
    EXPECT_THAT(head, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
    EXPECT_THAT(head, HasSubstr(" GMT\r\n"));
}

TEST_F(ServerTest, A_port_that_is_taken_is_told) {
    serve(small_limits());
    const service::ListenAddress taken{.host = "127.0.0.1", .port = server->port()};
    EXPECT_THROW(service::Server(taken, router, gate, counts, {}), std::runtime_error);
}

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

/// What is refused, and what the server must say and do then. A request smuggled behind it would be
/// answered as well.
struct Hostile {
    const char* name;
    const char* bytes;
    int status;
};

class HostileTest : public ServerTest, public testing::WithParamInterface<Hostile> {};

TEST_P(HostileTest, It_is_refused_and_the_connection_closed) {
    serve(small_limits());
    RawClient client(server->port());
    const std::string smuggled = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
    EXPECT_EQ(client.ask(GetParam().bytes + smuggled).status, GetParam().status);
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(counts.responses.at(2), 0);
}

#define HEAD "POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

INSTANTIATE_TEST_SUITE_P(
    All,
    HostileTest,
    testing::Values(
        Hostile{
            "both_lengths",
            HEAD "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
        Hostile{
            "both_lengths_turned",
            HEAD "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
            400},
        Hostile{"equal_lengths", HEAD "Content-Length: 2\r\nContent-Length: 2\r\n\r\n[]", 400},
        Hostile{"different_lengths", HEAD "Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]", 400},
        Hostile{"length_list", HEAD "Content-Length: 2, 2\r\n\r\n[]", 400},
        Hostile{"folded_length", HEAD "Content-Length:\r\n 2\r\n\r\n[]", 400},
        Hostile{"folded_length_behind", HEAD "Content-Length: 2\r\n\t\r\n\r\n[]", 400},
        Hostile{
            "folded_coding",
            HEAD "Transfer-Encoding:\r\n chunked\r\n\r\n2\r\n[]\r\n0\r\n\r\n",
            400},
        Hostile{"signed_length", HEAD "Content-Length: +2\r\n\r\n[]", 400},
        Hostile{"negative_length", HEAD "Content-Length: -2\r\n\r\n[]", 400},
        Hostile{"huge_length", HEAD "Content-Length: 99999999999999999999999\r\n\r\n[]", 400},
        Hostile{"other_coding", HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
        Hostile{"hidden_coding", HEAD "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
        Hostile{
            "coding_twice",
            HEAD "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
        Hostile{"blank_before_colon", HEAD "Content-Length : 2\r\n\r\n[]", 400},
        Hostile{"bad_chunk", HEAD "Transfer-Encoding: chunked\r\n\r\nzz\r\n[]\r\n0\r\n\r\n", 400},
        Hostile{
            "chunk_without_end",
            HEAD "Transfer-Encoding: chunked\r\n\r\n2\r\n[]0\r\n\r\n",
            400},
        Hostile{"no_host", "GET /hello HTTP/1.1\r\n\r\n", 400},
        Hostile{"two_hosts", "GET /hello HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n", 400},
        Hostile{
            "absolute_target",
            "GET http://evil/hello HTTP/1.1\r\nHost: localhost\r\n\r\n",
            400},
        Hostile{"other_version", "GET /hello HTTP/2.7\r\nHost: localhost\r\n\r\n", 400},
        Hostile{
            "chunked_in_1_0",
            "POST /echo HTTP/1.0\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400},
        Hostile{"no_http", "\x16\x03\x01\x02\r\n\r\n", 400}
    ),
    [](const auto& about) { return about.param.name; }
);

/// A server with few places, a path for who is let in and one for anybody.
class ServerWithFewPlaces : public ServerTest {
protected:
    static constexpr std::size_t kPlaces = 8;

    using Clients = std::vector<std::unique_ptr<RawClient>>;

    void serve(std::chrono::seconds first_byte = std::chrono::minutes(10)) {
        service::ServerLimits limits;
        limits.connections = kPlaces;
        limits.first_byte = limits.first_byte_short = first_byte;
        ServerTest::serve(few_paths, limits);
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

    const service::Router few_paths{
        {{"GET", "/hello", service::Role::read, hello},
         {"GET", "/health", service::Role::anybody, hello}}};
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
