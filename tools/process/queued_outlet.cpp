#include "tools/process/queued_outlet.hpp"

#include "tools/process/signals.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// What a pipe that can be written to takes without waiting (PIPE_BUF on Linux).
constexpr std::size_t kPiece = 4096;

/// How often a thread that cannot write looks whether it shall end.
constexpr std::chrono::milliseconds kLook = 50ms;

[[nodiscard]] std::uint64_t lines_in(std::string_view text) {
    return static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
}

}  // namespace

class QueuedOutlet::Queue {
public:
    Queue(int descriptor, Settings settings)
        : descriptor_(descriptor), settings_(std::move(settings)) {}

    void push(std::string_view lines) {
        const std::lock_guard lock(mutex_);
        if (give_up_at_ || waiting_.size() + lines.size() > settings_.bytes) {
            drop(lines_in(lines));
            return;
        }
        waiting_ += lines;
        changed_.notify_all();
    }

    [[nodiscard]] const std::atomic<std::uint64_t>& dropped() const { return dropped_; }

    /// The thread's work.
    void run() {
        std::unique_lock lock(mutex_);
        while (true) {
            changed_.wait(lock, [this] { return give_up_at_ || !waiting_.empty(); });
            if (waiting_.empty()) {
                break;
            }
            const std::string lines = std::exchange(waiting_, {});
            lock.unlock();
            const std::size_t written = write(lines);
            lock.lock();
            if (written < lines.size()) {
                drop(lines_in(std::string_view(lines).substr(written)));
            } else {
                tell_drops(lock);
            }
        }
        has_ended_ = true;
        changed_.notify_all();
    }

    /// Whether the thread has ended by then.
    [[nodiscard]] bool end_within(std::chrono::milliseconds patience) {
        std::unique_lock lock(mutex_);
        if (!give_up_at_) {
            give_up_at_ = Clock::now() + patience;
            changed_.notify_all();
        }
        return changed_.wait_for(lock, patience + 4 * kLook, [this] { return has_ended_; });
    }

private:
    void drop(std::uint64_t lines) {
        dropped_ += lines;
        untold_ += lines;
    }

    void tell_drops(std::unique_lock<std::mutex>& lock) {
        const std::uint64_t lines = std::exchange(untold_, 0);
        if (lines == 0) {
            return;
        }
        lock.unlock();
        const std::string line = settings_.told_drop(lines) + '\n';
        const bool is_written = write(line) == line.size();
        lock.lock();
        if (!is_written) {
            untold_ += lines;
        }
    }

    /// How much of it was written before it was time to give up, or an error.
    [[nodiscard]] std::size_t write(std::string_view text) {
        std::size_t written = 0;
        while (written < text.size() && wait_for_room()) {
            const std::string_view piece = text.substr(written, kPiece);
            const ssize_t count = ::write(descriptor_, piece.data(), piece.size());
            if (count < 0 && errno != EINTR && errno != EAGAIN) {
                break;
            }
            written += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
        }
        return written;
    }

    /// false: it is time to give up.
    [[nodiscard]] bool wait_for_room() {
        pollfd watched{descriptor_, POLLOUT, 0};
        while (::poll(&watched, 1, static_cast<int>(kLook.count())) <= 0) {
            const std::lock_guard lock(mutex_);
            if (give_up_at_ && Clock::now() >= *give_up_at_) {
                return false;
            }
        }
        return true;
    }

    const int descriptor_;
    const Settings settings_;
    std::atomic<std::uint64_t> dropped_{0};

    std::mutex mutex_;
    std::condition_variable changed_;
    std::string waiting_;                          ///< Guarded by mutex_, as all that follows.
    std::uint64_t untold_ = 0;                     ///< Of those that were dropped.
    std::optional<Clock::time_point> give_up_at_;  ///< Set: nothing more is taken.
    bool has_ended_ = false;
};

QueuedOutlet::QueuedOutlet(int descriptor, Settings settings)
    : queue_(std::make_shared<Queue>(descriptor, std::move(settings))) {
    const SignalsBlocked blocked;  // They are for whoever waits for them.
    std::thread([queue = queue_] { queue->run(); }).detach();
}

QueuedOutlet::~QueuedOutlet() {
    close(1s);
}

const std::atomic<std::uint64_t>& QueuedOutlet::dropped() const {
    return queue_->dropped();
}

void QueuedOutlet::close(std::chrono::milliseconds patience) {
    {
        const std::lock_guard lock(mutex_);
        if (!pending_.empty()) {
            queue_->push(std::exchange(pending_, {}));
        }
    }
    (void)queue_->end_within(patience);
}

QueuedOutlet::int_type QueuedOutlet::overflow(int_type character) {
    if (!traits_type::eq_int_type(character, traits_type::eof())) {
        const std::lock_guard lock(mutex_);
        pending_ += traits_type::to_char_type(character);
    }
    return traits_type::not_eof(character);
}

std::streamsize QueuedOutlet::xsputn(const char* text, std::streamsize size) {
    const std::lock_guard lock(mutex_);
    pending_.append(text, static_cast<std::size_t>(size));
    return size;
}

int QueuedOutlet::sync() {
    const std::lock_guard lock(mutex_);
    const std::size_t end = pending_.rfind('\n') + 1;  // 0 without one.
    if (end > 0) {
        queue_->push(std::string_view(pending_).substr(0, end));
        pending_.erase(0, end);
    }
    return 0;
}

}  // namespace jobstrand::cli
