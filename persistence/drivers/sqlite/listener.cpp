#include "persistence/drivers/sqlite/listener.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace jobstrand::persistence {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTickNanoseconds = 50'000'000;
constexpr int kAnnouncementsPerWrite = 5;

/// A file descriptor that becomes readable at every tick.
int open_ticker() {
    const int ticker = ::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    const itimerspec ticks{
        .it_interval = {.tv_sec = 0, .tv_nsec = kTickNanoseconds},
        .it_value = {.tv_sec = 0, .tv_nsec = kTickNanoseconds},
    };
    if (ticker < 0 || ::timerfd_settime(ticker, 0, &ticks, nullptr) != 0) {
        const std::string why = std::generic_category().message(errno);
        throw DbError(DbErrorKind::other, fmt::format("cannot make a timer: {}", why));
    }
    return ticker;
}

class SqliteListener final : public JobListener {
public:
    explicit SqliteListener(const fs::path& database)
        : log_(database.string() + "-wal"), ticker_(open_ticker()), seen_(last_write()) {}

    ~SqliteListener() override { ::close(ticker_); }

    SqliteListener(const SqliteListener&) = delete;
    SqliteListener& operator=(const SqliteListener&) = delete;

    [[nodiscard]] int socket() const override { return ticker_; }

    [[nodiscard]] bool take_announcements() override {
        std::uint64_t ticks = 0;
        (void)!::read(ticker_, &ticks, sizeof(ticks));  // No longer readable until the next one.
        if (const fs::file_time_type written = last_write(); written != seen_) {
            seen_ = written;
            left_ = kAnnouncementsPerWrite;
        }
        if (left_ == 0) {
            return false;
        }
        --left_;
        return true;
    }

private:
    // Never opens the file: closing it would drop this process's locks on it, SQLite's own ones.
    // The log comes with the first connection and goes with the last; without it: the epoch.
    [[nodiscard]] fs::file_time_type last_write() const {
        std::error_code is_missing;
        return fs::last_write_time(log_, is_missing);
    }

    const fs::path log_;
    const int ticker_;
    fs::file_time_type seen_;
    int left_ = 0;  ///< Announcements of the last write that are still to be made.
};

}  // namespace

std::unique_ptr<JobListener> listen_to_sqlite(const fs::path& database) {
    return std::make_unique<SqliteListener>(database);
}

}  // namespace jobstrand::persistence
