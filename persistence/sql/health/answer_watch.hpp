#pragma once

#include "schema/time.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace jobstrand::persistence {

/// Shuts a socket down when an answer on it takes too long, for client libraries that would wait
/// for ever: whoever waits sees a connection that was closed. It costs a thread, which sleeps, also
/// when many answers come in time.
///
/// Thread safety: begin() and end() by the one thread that uses the socket.
class AnswerWatch final {
public:
    AnswerWatch(int socket, schema::Duration limit);

    /// An answer is waited for from now on.
    void begin();

    /// It came, or the wait is over. The socket is left alone until the next begin().
    void end();

private:
    void watch(const std::stop_token& stop);

    const int socket_;
    const schema::Duration limit_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<schema::SteadyPoint> deadline_;
    bool was_used_ = false;   ///< Since the thread has last looked.
    bool is_asleep_ = false;  ///< The thread must be woken.

    std::jthread thread_;  ///< Ends first.
};

}  // namespace jobstrand::persistence
