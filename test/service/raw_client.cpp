#include "test/service/raw_client.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace jobstrand::test {

namespace {

constexpr int kPatienceS = 20;

[[nodiscard]] std::size_t length_in(const std::string& head) {
    const std::size_t found = head.find("Content-Length: ");
    return found == std::string::npos ? 0 : std::strtoul(head.c_str() + found + 16, nullptr, 10);
}

}  // namespace

RawClient::RawClient(std::uint16_t port, const std::string& from)
    : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, from.c_str(), &address.sin_addr);
    ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = kPatienceS, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(socket_);
        throw std::runtime_error(fmt::format("nobody listens on port {}", port));
    }
}

RawClient::~RawClient() {
    ::close(socket_);
}

bool RawClient::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool RawClient::read_more() {
    std::array<char, 4096> buffer;
    const ssize_t count = ::recv(socket_, buffer.data(), buffer.size(), 0);
    if (count <= 0) {
        return false;
    }
    received_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

RawResponse RawClient::receive() {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!read_more()) {
            return {};
        }
    }
    RawResponse response{.head = received_.substr(0, end + 4), .body = {}};
    received_.erase(0, end + 4);
    response.status = std::atoi(response.head.c_str() + response.head.find(' '));
    const std::size_t length = length_in(response.head);
    while (received_.size() < length) {
        if (!read_more()) {
            return {};
        }
    }
    response.body = received_.substr(0, length);
    received_.erase(0, length);
    return response;
}

std::string RawClient::receive_until(std::string_view text) {
    std::size_t found = 0;
    while ((found = received_.find(text)) == std::string::npos) {
        if (!read_more()) {
            return std::exchange(received_, {});
        }
    }
    std::string before = received_.substr(0, found + text.size());
    received_.erase(0, before.size());
    return before;
}

std::string RawClient::receive_rest() {
    while (read_more()) {
    }
    return std::exchange(received_, {});
}

void RawClient::end_sending() const {
    ::shutdown(socket_, SHUT_WR);
}

bool RawClient::is_closed() {
    std::array<char, 1> byte;
    return received_.empty() && ::recv(socket_, byte.data(), byte.size(), 0) == 0;
}

std::string get(std::string_view path, std::string_view headers) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers);
}

std::string send(
    std::string_view method,
    std::string_view path,
    std::string_view body,
    std::string_view headers
) {
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n{}\r\n{}",
        method,
        path,
        body.size(),
        headers,
        body
    );
}

std::string post(std::string_view path, std::string_view body, std::string_view headers) {
    return send("POST", path, body, headers);
}

}  // namespace jobstrand::test
