#include "schema/log.hpp"
#include "test/fixtures/signal.hpp"
#include "test/service/server_fixture.hpp"
#include "tools/service/http/work_pool.hpp"

#include <gmock/gmock.h>

#include <new>
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
        server = std::make_unique<service::Server>(
            service::ListenAddress{.host = "127.0.0.1", .port = 0, .is_loopback = true},
            needy,
            gate,
            counts,
            limits
        );
        server->start();
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

}  // namespace
}  // namespace jobstrand
