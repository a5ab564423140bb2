#include "persistence/drivers/sqlite/log_folding.hpp"

#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>

namespace jobstrand::persistence {

namespace {

using sqlite_api::sqlite3;

/// Frames, of one page each, from which on a commit folds in the log. A page of timers changes over
/// a thousand pages of the file; the log holds some of these before that.
constexpr int kFoldedAt = 4'000;

/// More than a commit folds in.
constexpr int kMostOfCommit = 4 * kFoldedAt;

/// What the log keeps on the disk, and how much is cut off whenever it begins anew: to free 64 MiB
/// takes ext4 20 ms, and gigabytes seconds.
constexpr std::int64_t kKept = std::int64_t{64} * 1024 * 1024;
constexpr std::int64_t kCutAtOnce = kKept / 2;

/// Nothing more can be folded in while somebody reads what was there before.
constexpr std::chrono::milliseconds kBetweenTries{100};

/// Returns the frames that are in the file now; 0 if they cannot be told.
int folded_by(sqlite3* connection) {
    int frames = -1;
    int folded = -1;
    sqlite_api::sqlite3_wal_checkpoint_v2(
        connection, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &folded
    );
    return std::max(folded, 0);
}

std::int64_t page_size_of(sqlite3* connection) {
    std::int64_t size = 0;
    const auto read = [](void* into, int, char** values, char**) {
        *static_cast<std::int64_t*>(into) = std::strtoll(values[0], nullptr, 10);
        return 0;
    };
    sqlite_api::sqlite3_exec(connection, "PRAGMA page_size", read, &size, nullptr);
    return size;
}

}  // namespace

LogFolding::LogFolding(sqlite_api::sqlite3* connection)
    : connection_(connection),
      file_(sqlite_api::sqlite3_db_filename(connection, "main")),
      page_size_(page_size_of(connection)) {
    keep(kKept);
    sqlite_api::sqlite3_wal_hook(connection, on_commit, this);
}

LogFolding::~LogFolding() {
    sqlite_api::sqlite3_wal_hook(connection_, nullptr, nullptr);
    thread_.request_stop();
    const std::lock_guard lock(mutex_);
    if (beside_connection_ != nullptr) {
        sqlite_api::sqlite3_interrupt(beside_connection_);
    }
}

// What it returns would become the result of the commit, which is done.
int LogFolding::on_commit(
    void* folding,
    sqlite_api::sqlite3* /*same*/,
    const char* /*main*/,
    int frames
) {
    static_cast<LogFolding*>(folding)->fold(frames);
    return SQLITE_OK;
}

void LogFolding::fold(int frames) {
    folded_ = std::max(folded_, folded_beside_.load());
    if (folded_ > frames) {
        folded_ = 0;  // The log has begun anew.
        folded_beside_ = 0;
        keep(std::max(kKept, kept_ - kCutAtOnce));
    } else if (frames * page_size_ > kept_ + 2 * kCutAtOnce) {
        keep(frames * page_size_ - kCutAtOnce);
    }
    if (frames - folded_ >= kMostOfCommit) {
        fold_beside();
    } else if (frames >= kFoldedAt) {
        folded_ = std::max(folded_, folded_by(connection_));
    }
}

void LogFolding::keep(std::int64_t bytes) {
    if (bytes != kept_) {
        kept_ = bytes;
        const std::string limit = fmt::format("PRAGMA journal_size_limit = {}", bytes);
        sqlite_api::sqlite3_exec(connection_, limit.c_str(), nullptr, nullptr, nullptr);
    }
}

void LogFolding::fold_beside() {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
    if (thread_.joinable()) {
        wanted_.notify_one();
        return;
    }
    // Defended catch: where no thread can be had, the log grows until one can. SQLite called this.
    try {
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    } catch (const std::exception&) {
        return;
    }
}

void LogFolding::run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        {
            std::unique_lock lock(mutex_);
            if (!wanted_.wait(lock, stop, [this] { return is_wanted_; })) {
                return;
            }
            is_wanted_ = false;
        }
        folded_beside_ = fold_on_own_connection(stop);
        std::unique_lock lock(mutex_);
        wanted_.wait_for(lock, stop, kBetweenTries, [] { return false; });
    }
}

int LogFolding::fold_on_own_connection(const std::stop_token& stop) {
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    sqlite3* own = nullptr;
    int folded = 0;
    if (sqlite_api::sqlite3_open_v2(file_.c_str(), &own, kFlags, nullptr) == SQLITE_OK) {
        {
            const std::lock_guard lock(mutex_);
            beside_connection_ = own;
        }
        if (!stop.stop_requested()) {
            // It finds the log with its first statement.
            sqlite_api::sqlite3_exec(own, "PRAGMA schema_version", nullptr, nullptr, nullptr);
            folded = folded_by(own);
        }
        const std::lock_guard lock(mutex_);
        beside_connection_ = nullptr;
    }
    sqlite_api::sqlite3_close(own);
    return folded;
}

}  // namespace jobstrand::persistence
