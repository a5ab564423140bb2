#include "persistence/drivers/sqlite/log_watch.hpp"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <system_error>
#include <utility>

namespace jobstrand::persistence {

namespace {

/// Room for many events; of a file that is written to again and again the system keeps one.
constexpr std::size_t kEventBytes = 16 * (sizeof(inotify_event) + NAME_MAX + 1);

/// Whether one of the events is that there will be no more: the file is gone.
bool is_last_among(const char* events, std::size_t size) {
    for (std::size_t at = 0; at + sizeof(inotify_event) <= size;) {
        inotify_event event{};
        std::memcpy(&event, events + at, sizeof(event));
        if ((event.mask & IN_IGNORED) != 0) {
            return true;
        }
        at += sizeof(event) + event.len;
    }
    return false;
}

}  // namespace

LogWatch::LogWatch(std::filesystem::path log) : log_(std::move(log)) {
    watch();
    (void)has_new_time();
}

LogWatch::~LogWatch() {
    if (socket_ >= 0) {
        ::close(socket_);
    }
}

void LogWatch::watch() {
    socket_ = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (socket_ >= 0 && ::inotify_add_watch(socket_, log_.c_str(), IN_MODIFY) < 0) {
        ::close(std::exchange(socket_, -1));
    }
}

bool LogWatch::was_written() {
    if (socket_ < 0) {
        return has_new_time();
    }
    bool was_any = false;
    bool is_last = false;
    std::array<char, kEventBytes> events{};
    ssize_t size = 0;
    while ((size = ::read(socket_, events.data(), events.size())) > 0) {
        was_any = true;
        is_last = is_last || is_last_among(events.data(), static_cast<std::size_t>(size));
    }
    if (is_last) {
        ::close(std::exchange(socket_, -1));
        watch();
    }
    return was_any;
}

// A log that is not there has the earliest time.
bool LogWatch::has_new_time() {
    std::error_code is_missing;
    const auto written = std::filesystem::last_write_time(log_, is_missing);
    return std::exchange(seen_, written) != written;
}

}  // namespace jobstrand::persistence
