#pragma once

#include "executor/loop/activity.hpp"
#include "schema/log.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string_view>

namespace jobstrand::executor {

/// The longest wait of a loop before it tries again what the database has refused.
inline constexpr schema::Duration kFailureWaitMax{std::chrono::seconds(10)};

/// Repeats the passes of one activity on a strand of its own. All loops of the project are this
/// one.
///
/// A pass that throws is tried again after a wait that doubles from 100 ms to 10 s. The failure is
/// logged once until a pass succeeds; an outage of the database is not: the store says that.
///
/// Life: start() once, then stop(). stop() may be called twice, before start(), and from any thread
/// but the loop's own; when it returns, no pass is running and none will start. The activity, the
/// context and the log must outlive this object, and the context must be run until stop() has
/// returned.
///
/// Thread safety: start, wake and stop are thread-safe.
class PollingLoop final {
public:
    PollingLoop(boost::asio::io_context& context, Activity& activity, schema::Log& log);
    ~PollingLoop();

    PollingLoop(const PollingLoop&) = delete;
    PollingLoop& operator=(const PollingLoop&) = delete;

    void start();

    /// The next pass comes now; a wake-up during a pass is not lost. Many wake-ups make one pass.
    void wake();

    void stop();

    /// Returns how long the running pass has taken so far; zero: none is running. May be called
    /// from any thread.
    [[nodiscard]] std::chrono::steady_clock::duration pass_under_way() const;

    [[nodiscard]] std::string_view name() const noexcept { return activity_.name(); }

private:
    enum class State { idle, running, stopping, stopped };

    void wait(schema::Duration duration);
    void on_waited();
    [[nodiscard]] schema::Duration guarded_pass();
    [[nodiscard]] schema::Duration on_failure(const char* error, bool is_outage);
    void finish();

    // Constant after construction.
    Activity& activity_;
    schema::Log& log_;
    boost::asio::strand<boost::asio::io_context::executor_type> strand_;

    // Touched only on the strand.
    boost::asio::steady_timer timer_;
    schema::Duration failure_wait_{0};  ///< Zero: the last pass was fine.
    bool is_failure_logged_ = false;
    bool stop_requested_ = false;

    /// Zero: none is under way.
    std::atomic<std::chrono::steady_clock::duration> pass_began_{};

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable finished_;
    State state_ = State::idle;
    bool woken_ = false;
};

}  // namespace jobstrand::executor
