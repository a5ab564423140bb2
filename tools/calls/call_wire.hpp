#pragma once

#include "tools/calls/call_request.hpp"
#include "tools/text/http_url.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/system/error_code.hpp>

#include <functional>
#include <memory>

namespace jobstrand::cli {

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
