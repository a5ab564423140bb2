#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::persistence {

/// A socket, or another descriptor, that is closed with its owner. Sockets are for what the client
/// libraries of databases cannot be told to do themselves: to ask a server something, or to stop
/// it, before they log in.
class Socket final {
public:
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    ~Socket();

    Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    Socket& operator=(Socket&&) = delete;

    /// Tries all addresses of the host. Sends, receives and each try to connect end after
    /// `timeout`. Throws DbError unreachable.
    [[nodiscard]] static Socket
    connect(const std::string& host, int port, schema::Duration timeout);

    [[nodiscard]] int descriptor() const { return descriptor_; }

    /// Throws DbError unreachable.
    void send(std::string_view bytes) const;

    /// What has come, at most so many bytes; empty: the other side has closed.
    [[nodiscard]] std::string receive_some(std::size_t most) const;

    /// Exactly so many bytes. Throws DbError unreachable when they do not come.
    [[nodiscard]] std::string receive(std::size_t size) const;

private:
    int descriptor_;
};

}  // namespace jobstrand::persistence
