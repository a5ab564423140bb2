#pragma once

#include "schema/log.hpp"
#include "tools/service/http/router.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <shared_mutex>

namespace jobstrand::service {

/// Runs what blocks, such as database calls, away from the thread that serves sockets. Who only
/// reads (GET, HEAD) has half as many threads of his own, so that however many read much, the
/// others are served.
///
/// Thread safety: safe.
class WorkPool final {
public:
    /// `waiting`: how many requests may wait for a thread, of either kind. The log must outlive it.
    WorkPool(std::size_t threads, std::size_t waiting, schema::Log& log);
    ~WorkPool();

    WorkPool(const WorkPool&) = delete;
    WorkPool& operator=(const WorkPool&) = delete;

    using BlockingHandler = std::function<Response(const Request&)>;

    /// A handler that runs here; 503 when too many wait. What it throws becomes a response: see
    /// response_to().
    [[nodiscard]] Handler wrap(BlockingHandler handler);

    /// The same for what is short and must not wait for those who read, though it reads itself.
    [[nodiscard]] Handler wrap_urgent(BlockingHandler handler);

    /// One that may also answer later, from any thread; it throws only if it does not answer.
    using LateHandler = std::function<void(const Request&, const Answer&)>;
    [[nodiscard]] Handler wrap_late(LateHandler handler);

    /// Runs it here, however many requests wait; what it throws is logged. After stop() it is
    /// forgotten.
    void post(std::function<void()> act);

    /// Whether stop() has been called: what takes long should end where it can.
    [[nodiscard]] bool is_stopping() const { return is_stopping_; }

    /// Ends what has begun, and forgets what waits: its answers are never given, and nothing of
    /// them is kept. Further requests are answered 503.
    void stop();

private:
    /// Threads, and the requests that they have or will have.
    struct IndexRange {
        IndexRange(std::size_t count, std::size_t waiting)
            : threads(count), most(count + waiting) {}

        boost::asio::thread_pool threads;
        const std::size_t most;
        std::atomic<std::size_t> held{0};
    };

    void
    run_in(IndexRange& range, const LateHandler& handler, Request request, const Answer& answer);
    void run(const LateHandler& handler, const Request& request, const Answer& answer);
    [[nodiscard]] bool put(IndexRange& range, std::function<void()> act);

    IndexRange work_;
    IndexRange reading_;
    schema::Log& log_;
    std::shared_mutex putting_;  ///< Who stops waits for those who put something there.
    std::atomic<bool> is_stopping_{false};
};

}  // namespace jobstrand::service
