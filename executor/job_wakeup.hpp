#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/sql/job_listener.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/strand.hpp>

#include <functional>
#include <memory>

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

/// Keeps a listener and tells when other processes announce jobs, so that the loops need no poll.
/// It is the listener that WakeUps wakes when its connection has something to say. A lost
/// connection is made anew, with the waits of the loop in between; polling goes on behind all this.
///
/// Thread safety: run_once() belongs to the loop's strand; the rest is called once, by the owner.
class JobWakeup final : public Activity {
public:
    JobWakeup(
        boost::asio::io_context& context,
        persistence::OpenListener open,
        const WakeUps& wake_ups
    );

    [[nodiscard]] std::string_view name() const noexcept override { return "job wake-up"; }

    /// Comes back when the socket has something to say.
    [[nodiscard]] schema::Duration run_once() override;

    /// After the last pass: lets the context end.
    void close() { watch_.close(); }

private:
    void listen_anew();

    const persistence::OpenListener open_;
    const WakeUps& wake_ups_;
    std::unique_ptr<persistence::JobListener> listener_;
    SocketWatch watch_;  ///< Frees the listener's socket first.
};

}  // namespace jobstrand::executor
