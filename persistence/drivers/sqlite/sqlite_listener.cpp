#include "persistence/drivers/sqlite/sqlite_listener.hpp"

#include "persistence/drivers/socket.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstddef>
#include <cstdint>
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

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr schema::Duration kBetweenAnnouncements = 50ms;

/// Between the looks for the commit of what was written: each wait is twice the one before. A disk
/// that takes longer to write is too slow to wait for.
constexpr schema::Duration kShortestWait = 5ms;
constexpr schema::Duration kLongestWait = 320ms;

/// How often the log is looked at where the system does not tell.
constexpr schema::Duration kWithoutWatch = 250ms;

/// `descriptor` is what the system has answered.
Socket made(int descriptor, std::string_view what) {
    if (descriptor < 0) {
        const std::string why = std::generic_category().message(errno);
        throw DbError(DbErrorKind::other, fmt::format("cannot make {}: {}", what, why));
    }
    return Socket(descriptor);
}

/// SQLite's log stands beside the file itself, wherever a symbolic link to it is.
fs::path log_beside(const fs::path& database) {
    std::error_code is_missing;
    return fs::canonical(database, is_missing).string() + "-wal";
}

class SqliteListener final : public JobListener {
public:
    explicit SqliteListener(const SqliteSettings& settings)
        : connection_(open_sqlite(settings, SessionPool::Access::read)),
          version_(version_now()),
          log_(log_beside(settings.path)),
          alarm_(made(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), "a timer")),
          both_(made(::epoll_create1(EPOLL_CLOEXEC), "a set of sockets")) {
        epoll_event events{.events = EPOLLIN, .data = {}};
        ::epoll_ctl(both_.descriptor(), EPOLL_CTL_ADD, alarm_.descriptor(), &events);
        wait_for_write();
    }

    [[nodiscard]] int socket() const override { return both_.descriptor(); }

    [[nodiscard]] bool take_announcements() override {
        std::uint64_t ticks = 0;
        (void)!::read(
            alarm_.descriptor(), &ticks, sizeof(ticks)
        );  // No longer readable until the next one.
        if (log_.was_written()) {
            // While it is written without an end, it is looked at no more often than announced.
            wait_ = is_looking_ ? std::min(wait_, kBetweenAnnouncements) : kShortestWait;
            is_looking_ = true;
        }
        const bool is_news = is_looking_ && is_other_version();
        if (is_news) {
            // Further commits may be on their way that were written before this look.
            wait_ = std::max(wait_, kBetweenAnnouncements);
        }
        is_looking_ = is_looking_ && wait_ <= kLongestWait;
        if (is_looking_) {
            look_again_after(std::exchange(wait_, 2 * wait_));
        } else {
            wait_for_write();
        }
        return is_news;
    }

private:
    /// A number that the commits of other connections change.
    [[nodiscard]] std::int64_t version_now() {
        return one_number(*connection_, "PRAGMA data_version");
    }

    [[nodiscard]] bool is_other_version() {
        const std::int64_t version = version_now();
        return std::exchange(version_, version) != version;
    }

    // What is written until then is heard of then: a busy log would wake us all the time.
    void look_again_after(schema::Duration wait) {
        hear_log(false);
        set_alarm(wait);
    }

    void wait_for_write() {
        hear_log(true);
        set_alarm(log_.socket() < 0 ? kWithoutWatch : 0ms);
    }

    void hear_log(bool is_to_hear) {
        if (log_.socket() < 0) {
            return;
        }
        epoll_event events{.events = is_to_hear ? EPOLLIN : 0U, .data = {}};
        if (::epoll_ctl(both_.descriptor(), EPOLL_CTL_MOD, log_.socket(), &events) != 0 &&
            errno == ENOENT) {
            ::epoll_ctl(both_.descriptor(), EPOLL_CTL_ADD, log_.socket(), &events);
        }
    }

    /// 0: never.
    void set_alarm(schema::Duration wait) {
        const auto seconds = std::chrono::floor<std::chrono::seconds>(wait);
        const itimerspec once{
            .it_interval = {.tv_sec = 0, .tv_nsec = 0},
            .it_value =
                {.tv_sec = seconds.count(),
                 .tv_nsec = std::chrono::nanoseconds(wait - seconds).count()},
        };
        ::timerfd_settime(alarm_.descriptor(), 0, &once, nullptr);
    }

    const std::unique_ptr<Connection> connection_;
    std::int64_t version_;
    LogWatch log_;  ///< Who has read keeps the file there.
    const Socket alarm_;
    const Socket both_;        ///< Of the log and the alarm.
    bool is_looking_ = false;  ///< For the commit of what was written.
    schema::Duration wait_{0};
};

}  // namespace

std::unique_ptr<JobListener> listen_to_sqlite(const SqliteSettings& settings) {
    return std::make_unique<SqliteListener>(settings);
}

}  // namespace jobstrand::persistence
