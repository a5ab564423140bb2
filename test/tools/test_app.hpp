#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::test {

/// An app that jobs call, on a free port of 127.0.0.1. It answers as the test says.
///
/// Thread safety: safe.
class TestApp final {
public:
    using Request = boost::beast::http::request<boost::beast::http::string_body>;
    using Response = boost::beast::http::response<boost::beast::http::string_body>;
    /// nullopt: closes the connection instead.
    using Decide = std::function<std::optional<Response>(const Request&)>;

    /// `port`: 0 for a free one.
    explicit TestApp(Decide decide, std::uint16_t port = 0);
    /// With TLS, and what SelfSigned::write_to() has written.
    TestApp(Decide decide, const std::filesystem::path& certificate);
    ~TestApp();

    TestApp(const TestApp&) = delete;
    TestApp& operator=(const TestApp&) = delete;

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    /// Nobody is answered before so many requests are there at once.
    void answer_only(std::size_t requests);

    /// What nobody asked for follows each answer: in the same piece, or as one of its own, whose
    /// coming strays() counts.
    void also_say(std::string stray, bool in_one_piece);
    [[nodiscard]] std::size_t strays() const;

    /// Of all that came.
    [[nodiscard]] std::vector<Request> requests() const;
    [[nodiscard]] std::size_t connections() const;

private:
    void start();
    boost::asio::awaitable<void> listen();
    template <typename Stream>
    boost::asio::awaitable<void> talk(Stream stream);
    template <typename Stream>
    boost::asio::awaitable<void> say(Stream& stream, const Response& response);
    boost::asio::awaitable<void> gather();
    [[nodiscard]] bool are_all_there() const;

    const Decide decide_;
    boost::asio::io_context io_;
    std::optional<boost::asio::ssl::context> tls_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer all_there_;

    mutable std::mutex mutex_;
    std::vector<Request> requests_;  ///< Guarded by mutex_.
    std::size_t connections_ = 0;    ///< Likewise.
    std::size_t answers_from_ = 0;   ///< Likewise.
    std::string stray_;              ///< Likewise.
    bool is_in_one_piece_ = false;   ///< Likewise.
    std::size_t strays_ = 0;         ///< Likewise.
    std::thread thread_;
};

/// With this status and body.
[[nodiscard]] TestApp::Response a_response(unsigned status, std::string body = {});

}  // namespace jobstrand::test
