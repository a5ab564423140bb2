#include "persistence/answer_watch.hpp"

#include <sys/socket.h>

namespace jobstrand::persistence {

AnswerWatch::AnswerWatch(int socket, schema::Duration limit)
    : socket_(socket),
      limit_(limit),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void AnswerWatch::begin() {
    const std::lock_guard lock(mutex_);
    deadline_ = std::chrono::steady_clock::now() + limit_;
    if (is_asleep_) {
        changed_.notify_one();
    }
}

void AnswerWatch::end() {
    const std::lock_guard lock(mutex_);
    deadline_.reset();
}

// Nobody is woken for an answer that comes in time: a deadline that has passed is looked at, and
// there may be a later one by then, or none.
void AnswerWatch::watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        is_asleep_ = !deadline_;
        if (is_asleep_) {
            changed_.wait(lock, stop, [this] { return deadline_.has_value(); });
            continue;
        }
        const schema::SteadyPoint deadline = *deadline_;
        if (deadline <= std::chrono::steady_clock::now()) {
            ::shutdown(socket_, SHUT_RDWR);
            deadline_.reset();
            continue;
        }
        changed_.wait_until(lock, stop, deadline, [] { return false; });
    }
}

}  // namespace jobstrand::persistence
