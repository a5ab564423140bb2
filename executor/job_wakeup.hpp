#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/socket_watch.hpp"
#include "persistence/sql/job_listener.hpp"

#include <functional>
#include <memory>

namespace jobstrand::executor {

/// Keeps a listener and wakes the loops when other processes announce jobs, so that these need no
/// poll. A lost connection is made anew, with the waits of the loop in between; polling goes on
/// behind all this.
///
/// Thread safety: run_once() belongs to the loop's strand; the rest is called once, by the owner.
class JobWakeup final : public Activity {
public:
    /// `wake_up` is called on the loop's strand; it must not block.
    JobWakeup(
        boost::asio::io_context& context,
        persistence::OpenListener open,
        std::function<void()> wake_up
    );

    [[nodiscard]] std::string_view name() const noexcept override { return "job wake-up"; }

    /// Comes back when the socket has something to say.
    [[nodiscard]] schema::Duration run_once() override;

    /// How the loop of this activity is woken. Before its first pass.
    void on_news(std::function<void()> wake_loop) { wake_loop_ = std::move(wake_loop); }

    /// After the last pass: lets the context end.
    void close() { watch_.close(); }

private:
    void listen_anew();

    const persistence::OpenListener open_;
    const std::function<void()> wake_up_;
    std::function<void()> wake_loop_;
    std::unique_ptr<persistence::JobListener> listener_;
    SocketWatch watch_;  ///< Lets go of the listener's socket first.
};

}  // namespace jobstrand::executor
