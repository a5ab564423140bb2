#include "tools/service/http/response_stream.hpp"

#include <utility>

namespace jobstrand::service {

bool ResponseStream::write(std::string_view piece) {
    const std::scoped_lock lock(mutex_);
    if (has_ended_ || is_dropped_ || has_hung_up_) {
        return false;
    }
    if (being_sent_ + pending_.size() + piece.size() > kUnsentBytes) {
        is_dropped_ = true;
    } else {
        pending_ += piece;
    }
    tell();
    return !is_dropped_;
}

void ResponseStream::end() {
    const std::scoped_lock lock(mutex_);
    has_ended_ = true;
    tell();
}

bool ResponseStream::is_heard() const {
    const std::scoped_lock lock(mutex_);
    return !has_ended_ && !is_dropped_ && !has_hung_up_;
}

ResponseStream::Next ResponseStream::take() {
    const std::scoped_lock lock(mutex_);
    being_sent_ = pending_.size();
    return {.bytes = std::exchange(pending_, {}), .is_last = has_ended_};
}

bool ResponseStream::is_dropped() const {
    const std::scoped_lock lock(mutex_);
    return is_dropped_;
}

void ResponseStream::carry(std::function<void()> news) {
    const std::scoped_lock lock(mutex_);
    news_ = std::move(news);
}

void ResponseStream::hang_up() {
    const std::scoped_lock lock(mutex_);
    has_hung_up_ = true;
    news_ = {};
}

/// Within the lock, so that nobody is told who has hung up.
void ResponseStream::tell() {
    if (news_) {
        news_();
    }
}

}  // namespace jobstrand::service
