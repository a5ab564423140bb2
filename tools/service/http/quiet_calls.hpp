#pragma once

#include <boost/asio/ip/tcp.hpp>

/// Calls on sockets whose failure changes nothing: the socket is ended either way.
namespace jobstrand::service {

// NOLINTBEGIN(bugprone-unused-return-value): the error is in the parameter, for nobody.

inline void quietly_cancel(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.cancel(ignored);
}

/// What was written still goes out, and then the end of it.
inline void quietly_end_sending(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
}

inline void quietly_close(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.shutdown(boost::asio::ip::tcp::socket::shutdown_both, ignored);
    socket.close(ignored);
}

inline void quietly_close(boost::asio::ip::tcp::acceptor& acceptor) {
    boost::system::error_code ignored;
    acceptor.close(ignored);
}

/// Where a client is; none when it is gone already.
[[nodiscard]] inline boost::asio::ip::address quiet_address(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    return socket.remote_endpoint(ignored).address();
}

/// As far as it goes without waiting.
inline void quietly_send(boost::asio::ip::tcp::socket& socket, boost::asio::const_buffer bytes) {
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(bytes, ignored);
}

/// Small answers leave at once.
inline void quietly_hurry(boost::asio::ip::tcp::socket& socket) {
    boost::system::error_code ignored;
    socket.set_option(boost::asio::ip::tcp::no_delay(true), ignored);
}

// NOLINTEND(bugprone-unused-return-value)

}  // namespace jobstrand::service
