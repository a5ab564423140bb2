#include "persistence/sql/health/answer_watch.hpp"

#include <sys/socket.h>

namespace jobstrand::persistence {

AnswerWatch::AnswerWatch(int socket, schema::Duration limit)
    : socket_(socket),
      limit_(limit),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void AnswerWatch::begin() {
    const std::lock_guard lock(mutex_);
    deadline_ = std::chrono::steady_clock::now() + limit_;
    was_used_ = true;
    if (is_asleep_) {
        changed_.notify_one();
    }
}

void AnswerWatch::end() {
    const std::lock_guard lock(mutex_);
    deadline_.reset();
}

// The thread looks once in `limit_`, or at a deadline; it is woken only after a time without any
// use. To wake it for every answer would cost a switch of threads each.
void AnswerWatch::watch(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!stop.stop_requested()) {
        if (!was_used_) {
            is_asleep_ = true;
            changed_.wait(lock, stop, [this] { return was_used_; });
            is_asleep_ = false;
        }
        was_used_ = deadline_.has_value();
        const schema::SteadyPoint now = std::chrono::steady_clock::now();
        if (deadline_ && *deadline_ <= now) {
            ::shutdown(socket_, SHUT_RDWR);
            deadline_.reset();
        }
        changed_.wait_until(lock, stop, deadline_.value_or(now + limit_), [] { return false; });
    }
}

}  // namespace jobstrand::persistence
