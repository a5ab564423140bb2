#include "persistence/drivers/sqlite/writer_queue.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr schema::Duration kLongestQueueing{1000};
constexpr schema::Duration kQueueingAfterInVain{10};

/// Short at first, when a turn is about to end; then it costs little.
void pause_between_tries(Clock::time_point began) {
    const bool is_long = Clock::now() - began > 20ms;
    std::this_thread::sleep_for(is_long ? 1000us : 100us);
}

}  // namespace

WriterQueue::~WriterQueue() {
    if (file_ >= 0) {
        ::close(file_);
    }
}

bool WriterQueue::is_open() {
    if (file_ < 0) {
        file_ = ::open(log_.c_str(), O_RDONLY | O_CLOEXEC);
    }
    return file_ >= 0;
}

WriterQueue::Head WriterQueue::take_head() const noexcept {
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) {
        return Head::mine;
    }
    // Some file systems know no such locks, or only for those who may write.
    return errno == EWOULDBLOCK || errno == EINTR ? Head::taken : Head::not_kept;
}

WriterQueue::Turn::Turn(WriterQueue& queue, schema::Duration patience) : queue_(queue) {
    if (!queue_.is_open()) {
        return;
    }
    const auto began = Clock::now();
    const auto longest = queue_.waited_in_vain_ ? kQueueingAfterInVain : kLongestQueueing;
    const auto until = began + std::min(patience, longest);
    Head head = queue_.take_head();
    while (head == Head::taken && Clock::now() < until) {
        pause_between_tries(began);
        head = queue_.take_head();
    }
    is_mine_ = head == Head::mine;
    queue_.waited_in_vain_ = head == Head::taken;
}

WriterQueue::Turn::~Turn() {
    if (is_mine_) {
        ::flock(queue_.file_, LOCK_UN);
    }
}

int wait_for_writer(void* patience, int tries) {
    // A connection waits on the thread that uses it.
    thread_local Clock::time_point began;
    if (tries == 0) {
        began = Clock::now();
    }
    if (Clock::now() - began >= schema::Duration(*static_cast<schema::Duration::rep*>(patience))) {
        return 0;
    }
    pause_between_tries(began);
    return 1;
}

}  // namespace jobstrand::persistence
