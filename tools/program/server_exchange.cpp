#include "tools/program/server_exchange.hpp"

#include "tools/calls/call_wire.hpp"
#include "tools/process/exit_code.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/verb.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

/// For an address, for a connection, and for a whole request.
constexpr std::chrono::seconds kReach = 30s;

/// For the whole answer: verbs about many jobs take their time.
constexpr std::chrono::seconds kAnswer = 3600s;

/// More than the output of any verb, with all its escapes.
constexpr std::size_t kBodyBytes = std::size_t{512} * 1024 * 1024;

/// One request on a connection of its own, step by step.
class Exchange final {
public:
    Exchange(const Server& server, std::optional<std::chrono::milliseconds> limit)
        : server_(server),
          end_(limit ? Clock::now() + *limit : Clock::time_point::max()),
          tls_(asio::ssl::context::tls_client),
          resolver_(io_) {
        if (server_.url.is_tls) {
            tls_.set_verify_mode(asio::ssl::verify_peer);
            tls_.set_default_verify_paths();
        }
        wire_ = wire_to(server_.url, io_, tls_);
    }

    [[nodiscard]] ServerReply run(const CallRequest& request) {
        Wire::Endpoints endpoints;
        require("cannot find", kReach, [&](const Wire::Done& done) {
            resolver_.async_resolve(
                server_.url.host,
                server_.url.port,
                [&endpoints, done](error_code error, const Wire::Endpoints& found) {
                    endpoints = found;
                    done(error);
                }
            );
        });
        require("cannot connect to", kReach, [&](const Wire::Done& done) {
            wire_->open(endpoints, done);
        });
        // Who refuses a request may answer before all of it is sent.
        const error_code sending =
            outcome_of(kReach, [&](const Wire::Done& done) { wire_->send(request, done); });
        Wire::Parser parser;
        parser.body_limit(kBodyBytes);
        const error_code receiving =
            outcome_of(kAnswer, [&](const Wire::Done& done) { wire_->receive(parser, done); });
        if (receiving) {
            fail("no answer from", sending ? sending : receiving);
        }
        return {
            .status = static_cast<int>(parser.get().result_int()),
            .content_type = std::string(parser.get()[http::field::content_type]),
            .body = std::move(parser.get().body()),
        };
    }

private:
    using Start = std::function<void(const Wire::Done&)>;
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] error_code outcome_of(std::chrono::seconds limit, const Start& start) {
        std::optional<error_code> outcome;
        start([&outcome](error_code error) { outcome = error; });
        io_.restart();
        io_.run_until(std::min(Clock::now() + limit, end_));
        if (!outcome) {
            wire_->close();
            resolver_.cancel();
            io_.restart();
            io_.run();  // What was under way ends, and lets go of what is here.
            return asio::error::timed_out;
        }
        return *outcome;
    }

    void require(std::string_view what, std::chrono::seconds limit, const Start& start) {
        if (const error_code error = outcome_of(limit, start)) {
            fail(what, error);
        }
    }

    [[noreturn]] void fail(std::string_view what, error_code error) const {
        throw CliError(
            ExitCode::failed,
            fmt::format(
                "{} the server {}: {}: does `jobstrand serve --http` run there?",
                what,
                server_.url.authority,
                error.message()
            )
        );
    }

    const Server& server_;
    const Clock::time_point end_;
    asio::io_context io_{1};
    asio::ssl::context tls_;
    asio::ip::tcp::resolver resolver_;
    std::unique_ptr<Wire> wire_;
};

}  // namespace

ServerReply post_to(
    const Server& server,
    std::string_view path,
    std::string_view accepted_type,
    std::string json,
    std::optional<std::chrono::milliseconds> limit
) {
    const auto view_of = [](std::string_view text) {
        return boost::beast::string_view(text.data(), text.size());
    };
    CallRequest request(http::verb::post, server.url.target + std::string(path), 11);
    request.set(http::field::host, server.url.authority);
    request.set(http::field::user_agent, "jobstrand/" JOBSTRAND_VERSION);
    request.set(http::field::accept, view_of(accepted_type));
    request.set(http::field::content_type, "application/json");
    request.set(http::field::connection, "close");
    if (!server.token.empty()) {
        request.set(http::field::authorization, "Bearer " + server.token);
    }
    request.body() = std::move(json);
    request.prepare_payload();
    return Exchange(server, limit).run(request);
}

}  // namespace jobstrand::cli
