#include "test/tools/test_app.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/system/system_error.hpp>
#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <chrono>
#include <sstream>
#include <utility>

namespace jobstrand::test {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::use_awaitable;
using asio::ip::tcp;

constexpr int kBacklog = 4096;

[[nodiscard]] tcp::acceptor listening(asio::io_context& io, std::uint16_t port) {
    tcp::acceptor acceptor(io, tcp::v4());
    acceptor.set_option(tcp::acceptor::reuse_address(true));
    // A service that the test starts would listen too.
    ::fcntl(acceptor.native_handle(), F_SETFD, FD_CLOEXEC);
    acceptor.bind({asio::ip::address_v4::loopback(), port});
    acceptor.listen(kBacklog);
    return acceptor;
}

/// Whether the other side's system has not said yet that it has got all that was written.
[[nodiscard]] bool is_on_its_way(int socket) {
    int bytes = 0;
    return ::ioctl(socket, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

}  // namespace

TestApp::TestApp(Decide decide, std::uint16_t port)
    : decide_(std::move(decide)), acceptor_(listening(io_, port)), all_there_(io_) {
    start();
}

TestApp::TestApp(Decide decide, const std::filesystem::path& certificate)
    : decide_(std::move(decide)),
      tls_(asio::ssl::context::tls_server),
      acceptor_(listening(io_, 0)),
      all_there_(io_) {
    tls_->use_certificate_chain_file((certificate / "cert.pem").string());
    tls_->use_private_key_file((certificate / "key.pem").string(), asio::ssl::context::pem);
    start();
}

TestApp::~TestApp() {
    io_.stop();
    thread_.join();
}

void TestApp::start() {
    all_there_.expires_at(std::chrono::steady_clock::time_point::max());
    asio::co_spawn(io_, listen(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
}

void TestApp::answer_only(std::size_t requests) {
    {
        const std::lock_guard lock(mutex_);
        answers_from_ = requests;
    }
    asio::post(io_, [this] {
        if (are_all_there()) {
            all_there_.cancel();
        }
    });
}

bool TestApp::are_all_there() const {
    const std::lock_guard lock(mutex_);
    return requests_.size() >= answers_from_;
}

void TestApp::also_say(std::string stray, bool in_one_piece) {
    const std::lock_guard lock(mutex_);
    stray_ = std::move(stray);
    is_in_one_piece_ = in_one_piece;
}

std::size_t TestApp::strays() const {
    const std::lock_guard lock(mutex_);
    return strays_;
}

std::vector<TestApp::Request> TestApp::requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
}

std::size_t TestApp::connections() const {
    const std::lock_guard lock(mutex_);
    return connections_;
}

asio::awaitable<void> TestApp::listen() {
    while (true) {
        tcp::socket socket = co_await acceptor_.async_accept(use_awaitable);
        {
            const std::lock_guard lock(mutex_);
            ++connections_;
        }
        if (tls_) {
            asio::co_spawn(
                io_, talk(asio::ssl::stream<tcp::socket>(std::move(socket), *tls_)), asio::detached
            );
        } else {
            asio::co_spawn(io_, talk(std::move(socket)), asio::detached);
        }
    }
}

template <typename Stream>
asio::awaitable<void> TestApp::talk(Stream stream) {
    // Defended catch: a client that goes away ends the conversation.
    try {
        if constexpr (!std::is_same_v<Stream, tcp::socket>) {
            co_await stream.async_handshake(asio::ssl::stream_base::server, use_awaitable);
        }
        beast::flat_buffer buffer;
        while (true) {
            Request request;
            co_await http::async_read(stream, buffer, request, use_awaitable);
            {
                const std::lock_guard lock(mutex_);
                requests_.push_back(request);
            }
            co_await gather();
            std::optional<Response> response = decide_(request);
            if (!response) {
                co_return;
            }
            response->prepare_payload();
            co_await say(stream, *response);
        }
    } catch (const boost::system::system_error&) {
    }
}

template <typename Stream>
asio::awaitable<void> TestApp::say(Stream& stream, const Response& response) {
    std::ostringstream text;
    text << response;
    std::string answer = text.str();
    std::string stray;
    {
        const std::lock_guard lock(mutex_);
        (is_in_one_piece_ ? answer : stray) += stray_;
    }
    co_await asio::async_write(stream, asio::buffer(answer), use_awaitable);
    if (!stray.empty()) {
        co_await asio::async_write(stream, asio::buffer(stray), use_awaitable);
        asio::steady_timer pause(io_);
        while (is_on_its_way(stream.lowest_layer().native_handle())) {
            pause.expires_after(std::chrono::milliseconds(1));
            co_await pause.async_wait(use_awaitable);
        }
        const std::lock_guard lock(mutex_);
        ++strays_;
    }
}

asio::awaitable<void> TestApp::gather() {
    if (are_all_there()) {
        all_there_.cancel();
        co_return;
    }
    // Cancelled is what it waits for.
    boost::system::error_code ignored;
    co_await all_there_.async_wait(asio::redirect_error(use_awaitable, ignored));
}

TestApp::Response a_response(unsigned status, std::string body) {
    TestApp::Response response(static_cast<http::status>(status), 11);
    response.body() = std::move(body);
    return response;
}

}  // namespace jobstrand::test
