#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/sql/job_listener.hpp"
#include "schema/log.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

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

/// The control pool: one thread per loop, so that a slow SQL statement of one strand never delays
/// another.
///
/// Life: add_loop() as often as needed, start(), stop(). stop() also works without start() and may
/// be called twice. Thread safety: none; the owner calls.
class ExecutorThreads final {
public:
    explicit ExecutorThreads(schema::Log& log) : log_(log) {}
    ~ExecutorThreads() { stop(); }

    ExecutorThreads(const ExecutorThreads&) = delete;
    ExecutorThreads& operator=(const ExecutorThreads&) = delete;

    /// What the threads run; it becomes empty when everything has stopped.
    [[nodiscard]] boost::asio::io_context& context() { return context_; }

    /// The activity must outlive this object; the loop lives as long as it does.
    PollingLoop& add_loop(Activity& activity) {
        loops_.push_back(std::make_unique<PollingLoop>(context_, activity, log_));
        return *loops_.back();
    }

    /// The activity whose pass has been under way for longer than this; empty: none. From any
    /// thread, once all loops are there.
    [[nodiscard]] std::string_view stuck_for(std::chrono::steady_clock::duration limit) const {
        for (const auto& loop : loops_) {
            if (loop->pass_under_way() > limit) {
                return loop->name();
            }
        }
        return {};
    }

    void start() {
        for (std::size_t i = 0; i < loops_.size(); ++i) {
            threads_.emplace_back([this] { context_.run(); });
        }
        for (const auto& loop : loops_) {
            loop->start();
        }
    }

    /// Stops every loop that still runs, then ends the threads.
    void stop() {
        for (const auto& loop : loops_) {
            loop->stop();
        }
        work_.reset();
        for (std::thread& thread : threads_) {
            thread.join();
        }
        threads_.clear();
    }

private:
    schema::Log& log_;
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_ =
        boost::asio::make_work_guard(context_);
    std::vector<std::unique_ptr<PollingLoop>> loops_;
    std::vector<std::thread> threads_;
};

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
