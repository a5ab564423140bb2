#pragma once

#include "schema/log.hpp"
#include "tools/service/http/router.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstddef>
#include <functional>

namespace jobstrand::service {

/// Runs what blocks, such as database calls, away from the thread that serves sockets.
///
/// Thread safety: safe.
class WorkPool final {
public:
    /// `waiting`: how many requests may wait for a thread. The log must outlive it.
    WorkPool(std::size_t threads, std::size_t waiting, schema::Log& log);
    ~WorkPool();

    WorkPool(const WorkPool&) = delete;
    WorkPool& operator=(const WorkPool&) = delete;

    using BlockingHandler = std::function<Response(const Request&)>;

    /// A handler that runs here; 503 when too many wait. What it throws becomes a response: see
    /// response_to().
    [[nodiscard]] Handler wrap(BlockingHandler handler);

    /// One that may also answer later, from any thread; it throws only if it does not answer.
    using LateHandler = std::function<void(const Request&, const Answer&)>;
    [[nodiscard]] Handler wrap_late(LateHandler handler);

    /// Runs it here, however many requests wait; what it throws is logged.
    void post(std::function<void()> act);

    /// Whether stop() has been called: what takes long should end where it can.
    [[nodiscard]] bool is_stopping() const { return is_stopping_; }

    /// Ends what has begun, and forgets what waits: its answers are never given.
    void stop();

private:
    void run(const LateHandler& handler, const Request& request, const Answer& answer);

    boost::asio::thread_pool threads_;
    const std::size_t most_;
    schema::Log& log_;
    std::atomic<std::size_t> held_{0};
    std::atomic<bool> is_stopping_{false};
};

}  // namespace jobstrand::service
