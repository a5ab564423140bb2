#pragma once

#include "tools/calls/call_messages.hpp"
#include "tools/text/http_address.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace jobstrand::cli {

/// The thread that calls apps; one is enough for thousands of calls, which only wait.
///
/// Thread safety: safe.
class HttpClient final {
public:
    HttpClient() = default;

    /// Calls that are under way end without a word.
    ~HttpClient();

    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;

    /// Starts the thread, unless it runs.
    void start();

    [[nodiscard]] boost::asio::io_context& context() { return io_; }

private:
    void run();

    using Guard = boost::asio::executor_work_guard<boost::asio::io_context::executor_type>;

    boost::asio::io_context io_{1};
    std::once_flag started_;
    std::optional<Guard> stays_;
    std::thread thread_;
};

/// One connection to an app, plain or with TLS.
///
/// Thread safety: none; all of it happens on the thread of the context. What is under way ends with
/// an error when it is closed; who waits for that keeps it alive.
class Wire {
public:
    using Done = std::function<void(boost::system::error_code)>;
    using Endpoints = boost::asio::ip::tcp::resolver::results_type;
    using Parser = boost::beast::http::response_parser<boost::beast::http::string_body>;

    Wire() = default;
    virtual ~Wire() = default;
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;

    /// With TLS, the app has shown by then that it is the one that the URL names.
    virtual void open(const Endpoints& endpoints, Done done) = 0;
    virtual void send(const CallRequest& request, Done done) = 0;
    virtual void receive(Parser& parser, Done done) = 0;
    virtual void close() noexcept = 0;

    /// Nothing has come from the app that nobody asked for, not even its end. What has come would
    /// be read as the answer to the next request.
    [[nodiscard]] virtual bool is_quiet() = 0;
};

/// `tls` is used, and must outlive it, where the URL wants TLS.
[[nodiscard]] std::unique_ptr<Wire>
wire_to(const HttpUrl& url, boost::asio::io_context& io, boost::asio::ssl::context& tls);

}  // namespace jobstrand::cli
