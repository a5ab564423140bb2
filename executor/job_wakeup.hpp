#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/socket_watch.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/sql/job_listener.hpp"

#include <memory>

namespace jobstrand::executor {

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
