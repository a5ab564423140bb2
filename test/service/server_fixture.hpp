#pragma once

#include "test/service/raw_client.hpp"
#include "tools/service/http/gates.hpp"
#include "tools/service/http/http_server.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace jobstrand::test {

/// A server with a path that echoes and one that never answers by itself, under small limits.
class ServerTest : public testing::Test {
protected:
    ServerTest()
        : router(
              {{"GET", "/hello", service::Role::read, hello},
               {"POST", "/echo", service::Role::worker, echo, {"application/json"}},
               {"POST",
                "/never",
                service::Role::worker,
                [this](auto, auto answer) { held_back = std::move(answer); }}}
          ) {}

    void serve(service::ServerLimits limits) { serve(router, limits); }

    void serve(const service::Router& paths, service::ServerLimits limits) {
        server = std::make_unique<service::Server>(
            service::ListenAddress{.host = "127.0.0.1", .port = 0, .is_loopback = true},
            paths,
            gate,
            counts,
            limits
        );
        server->start();
    }

    [[nodiscard]] static service::ServerLimits small_limits() {
        service::ServerLimits limits;
        limits.connections = 4;
        limits.header_bytes = 1024;
        limits.body_bytes = 2000;
        limits.all_body_bytes = 3000;
        limits.stop = std::chrono::seconds(0);
        return limits;
    }

    [[nodiscard]] RawResponse ask(const std::string& bytes) const {
        RawClient client(server->port());
        return client.ask(bytes);
    }

    static void hello(const service::Request& /*request*/, const service::Answer& answer) {
        answer({.status = 200, .body = "hello"});
    }
    static void echo(service::Request request, const service::Answer& answer) {
        answer({.status = 200, .body = std::move(request.body)});
    }

    service::Answer held_back;
    const service::Router router;
    service::LocalGate gate;
    service::HttpCounts counts;
    std::unique_ptr<service::Server> server;
};

}  // namespace jobstrand::test
