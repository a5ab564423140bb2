#include "persistence/drivers/sqlite/log_folding.hpp"

#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

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

/// Of LogFolding::commit_folds_from_: the thread keeps up.
constexpr int kNever = std::numeric_limits<int>::max();

/// What other processes write meanwhile is cut soon enough. To ask the system before each
/// transaction took a tenth of the rate of short ones.
constexpr std::chrono::milliseconds kBetweenLooks{100};

/// Nothing more can be folded in while somebody reads what was there before.
constexpr std::chrono::milliseconds kBetweenTries{100};

void run_pragma(sqlite3* connection, const std::string& sql) {
    sqlite_api::sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr);
}

std::int64_t number_of(sqlite3* connection, const char* pragma) {
    std::int64_t number = 0;
    const auto read = [](void* into, int, char** values, char**) {
        *static_cast<std::int64_t*>(into) = std::strtoll(*values, nullptr, 10);
        return 0;
    };
    sqlite_api::sqlite3_exec(connection, pragma, read, &number, nullptr);
    return number;
}

/// What a try came to.
struct Folded {
    bool is_done = false;  ///< What there was is in the file, but for what a commit folds in.
    bool has_failed = false;
    int frames = 0;  ///< That are in the file; 0: this cannot be told.
};

/// Somebody who folds at the same time is no failure.
Folded folded_by(sqlite3* connection) {
    int frames = -1;
    int folded = -1;
    const int code = sqlite_api::sqlite3_wal_checkpoint_v2(
        connection, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &folded
    );
    return {
        .is_done = code == SQLITE_OK && folded >= 0 && frames - folded < kMostOfCommit,
        // Without a descriptor for the log it is SQLITE_OK, and there is no log.
        .has_failed =
            code == SQLITE_OK ? frames < 0 : code != SQLITE_BUSY && code != SQLITE_INTERRUPT,
        .frames = std::max(folded, 0),
    };
}

/// Beside writers a try leaves this to whoever folds in the last frames: a commit.
void wait_for_disk(sqlite3* connection) {
    sqlite_api::sqlite3_file* file = nullptr;
    sqlite_api::sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (file != nullptr && file->pMethods != nullptr) {
        file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    }
}

}  // namespace

LogFolding::LogFolding(sqlite_api::sqlite3* connection)
    : connection_(connection),
      file_(sqlite_api::sqlite3_db_filename(connection, "main")),
      identity_(unlinked_identity(file_)),
      synchronous_(number_of(connection, "PRAGMA synchronous")),
      commit_folds_from_(kNever) {
    keep(kKept);
    look_at_file();
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
    sqlite_api::sqlite3* connection,
    const char* database,
    int frames
) {
    if (std::string_view(database) == "main") {
        static_cast<LogFolding*>(folding)->look_at_log(frames);
    } else if (frames >= kFoldedAt) {  // An app has attached it.
        sqlite_api::sqlite3_wal_checkpoint(connection, database);
    }
    return SQLITE_OK;
}

void LogFolding::look_at_file() {
    const auto now = std::chrono::steady_clock::now();
    if (now - looked_at_ < kBetweenLooks) {
        return;
    }
    looked_at_ = now;
    std::error_code is_missing;
    const auto size = std::filesystem::file_size(file_.string() + "-wal", is_missing);
    const std::int64_t bytes = is_missing ? 0 : static_cast<std::int64_t>(size);
    if (bytes > kept_ + 2 * kCutAtOnce) {
        keep(bytes - kCutAtOnce);
    }
}

void LogFolding::look_at_log(int frames) {
    folded_ = std::max(folded_, folded_beside_.load());
    if (folded_ > frames) {
        folded_ = 0;  // The log has begun anew.
        folded_beside_ = 0;
        keep(std::max(kKept, kept_ - kCutAtOnce));
    }
    const int left = frames - folded_;
    if (left < kMostOfCommit) {
        commit_folds_from_ = kNever;
        if (frames >= kFoldedAt) {
            fold();
        }
    } else if (left >= commit_folds_from_ || !ask_thread()) {
        commit_folds_from_ = kNever;
        fold();
    }
}

void LogFolding::fold() {
    folded_ = std::max(folded_, folded_by(connection_).frames);
}

void LogFolding::keep(std::int64_t bytes) {
    if (bytes != kept_) {
        kept_ = bytes;
        run_pragma(connection_, fmt::format("PRAGMA journal_size_limit = {}", bytes));
    }
}

bool LogFolding::ask_thread() {
    const std::lock_guard lock(mutex_);
    is_wanted_ = true;
    if (thread_.joinable()) {
        wanted_.notify_one();
        return true;
    }
    // Defended catch: there may be no thread to be had, and SQLite called this.
    try {
        thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
        return true;
    } catch (const std::exception&) {
        return false;
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
        fold_beside(stop);
        std::unique_lock lock(mutex_);
        wanted_.wait_for(lock, stop, kBetweenTries, [] { return false; });
    }
}

void LogFolding::fold_beside(const std::stop_token& stop) {
    constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    sqlite3* own = nullptr;
    const int code = sqlite_api::sqlite3_open_v2(file_.c_str(), &own, kFlags, nullptr);
    if (code == SQLITE_OK) {
        {
            const std::lock_guard lock(mutex_);
            beside_connection_ = own;
        }
        fold_by(own, stop);
        const std::lock_guard lock(mutex_);
        beside_connection_ = nullptr;
    } else {
        commit_folds_from_ = 0;
    }
    sqlite_api::sqlite3_close(own);
}

// Another file may have taken the place of ours. To open it touches no log; the first statement
// would take the log that stands there for its own.
void LogFolding::fold_by(sqlite_api::sqlite3* own, const std::stop_token& stop) {
    int has_moved = 0;
    sqlite_api::sqlite3_file_control(own, "main", SQLITE_FCNTL_HAS_MOVED, &has_moved);
    if (has_moved != 0 || !identity_ || unlinked_identity(file_) != identity_) {
        commit_folds_from_ = 0;
        return;
    }
    run_pragma(own, fmt::format("PRAGMA synchronous = {}", synchronous_));
    run_pragma(own, "PRAGMA schema_version");  // It finds the log.
    if (stop.stop_requested()) {               // From here on an interruption is not forgotten.
        return;
    }
    const Folded folded = folded_by(own);
    const int more = folded.frames - folded_beside_;
    if (more > 0) {
        if (synchronous_ > 0) {
            wait_for_disk(own);
        }
        folded_beside_ = folded.frames;
    }
    if (folded.has_failed) {
        commit_folds_from_ = 0;
    } else if (folded.is_done) {
        commit_folds_from_ = std::max(more, 0);  // As much has come meanwhile as it has folded in.
    }
}

}  // namespace jobstrand::persistence
