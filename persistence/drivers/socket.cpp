#include "persistence/drivers/socket.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <system_error>

namespace jobstrand::persistence {

namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

[[nodiscard]] DbError unreachable(const std::string& why) {
    return DbError(DbErrorKind::unreachable, why);
}

[[nodiscard]] DbError not_connected(int error) {
    return unreachable(fmt::format(
        "no server answers there: check host and port, and that the server runs: {}",
        std::generic_category().message(error)
    ));
}

[[nodiscard]] Addresses addresses_of(const std::string& host, int port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (code != 0) {
        throw unreachable(
            fmt::format("no such host: correct its name: {}: {}", host, gai_strerror(code))
        );
    }
    return {found, &freeaddrinfo};
}

/// A socket that is blocked for so long waits no longer, in connect() too (socket(7)).
void limit_waits(int socket, schema::Duration timeout) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(timeout);
    const timeval limit{
        .tv_sec = seconds.count(),
        .tv_usec =
            std::chrono::duration_cast<std::chrono::microseconds>(timeout - seconds).count()};
    ::setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    const int at_once = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof(at_once));
}

}  // namespace

Socket::~Socket() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

Socket Socket::connect(const std::string& host, int port, schema::Duration timeout) {
    const Addresses addresses = addresses_of(host, port);
    int error = EADDRNOTAVAIL;
    for (const addrinfo* one = addresses.get(); one != nullptr; one = one->ai_next) {
        Socket socket(::socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC, one->ai_protocol));
        limit_waits(socket.descriptor(), timeout);
        if (::connect(socket.descriptor(), one->ai_addr, one->ai_addrlen) == 0) {
            return socket;
        }
        error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    }
    throw not_connected(error);
}

void Socket::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            throw not_connected(errno);
        }
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

std::string Socket::receive_some(std::size_t most) const {
    std::string bytes(most, '\0');
    const ssize_t count = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    return bytes;
}

std::string Socket::receive(std::size_t size) const {
    std::string bytes(size, '\0');
    for (std::size_t got = 0; got < size;) {
        const ssize_t count = ::recv(descriptor_, bytes.data() + got, size - got, 0);
        if (count <= 0) {
            throw not_connected(count == 0 ? ECONNRESET : errno == EAGAIN ? ETIMEDOUT : errno);
        }
        got += static_cast<std::size_t>(count);
    }
    return bytes;
}

}  // namespace jobstrand::persistence
