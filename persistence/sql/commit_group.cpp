#include "persistence/sql/commit_group.hpp"

namespace jobstrand::persistence {

namespace {

/// About as long as two commits take on a slow disk: what waits for longer gains nothing.
constexpr std::chrono::milliseconds kLongestWait{10};

}  // namespace

bool CommitGroup::may_grow() const {
    return std::chrono::steady_clock::now() - began_ < kLongestWait;
}

void CommitGroup::committed() {
    {
        const std::lock_guard lock(mutex_);
        end_ = End::committed;
    }
    ended_.notify_all();
}

void CommitGroup::failed(const DbError& error) {
    {
        const std::lock_guard lock(mutex_);
        end_ = End::failed;
        kind_ = error.kind();
        message_ = error.what();
    }
    ended_.notify_all();
}

void CommitGroup::wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return end_ != End::none; });
    if (end_ == End::failed) {
        throw DbError(kind_, message_);
    }
}

}  // namespace jobstrand::persistence
