#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/strand.hpp>

#include <functional>

namespace jobstrand::executor {

/// Tells once when a socket of somebody else's becomes readable. Nobody waits for that: the
/// context's threads do.
///
/// Life: the context must run until the last tell_when_readable() has told or close() was called,
/// and be empty before this object is destroyed. Thread safety: safe.
class SocketWatch final {
public:
    SocketWatch(boost::asio::io_context& context, std::function<void()> on_readable);

    /// `socket` stays open until on_readable was called or the context is empty. One at a time.
    void tell_when_readable(int socket);

    /// Tells nothing more, so that the context can end.
    void close();

private:
    const std::function<void()> on_readable_;
    boost::asio::strand<boost::asio::io_context::executor_type> strand_;

    // Touched only on the strand.
    boost::asio::posix::stream_descriptor descriptor_;
    bool is_closed_ = false;
};

}  // namespace jobstrand::executor
