#pragma once

#include "persistence/drivers/sqlite/file_identity.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace sqlite_api {
struct sqlite3;
}

namespace jobstrand::persistence {

/// Folds the write-ahead log of a SQLite file into the file (a checkpoint), after commits of one
/// connection.
///
/// As SQLite itself does it, whoever commits folds in the log when it has grown: a few
/// milliseconds. While somebody reads for long, nothing can be folded in that came later, and the
/// log grows; at the end of that, one commit would fold in gigabytes and cut the log, and take
/// seconds in which nobody writes. So what is more than a commit should do is folded in beside, by
/// a thread with a connection of its own, which keeps nobody from writing; and the log is cut bit
/// by bit, each time that it begins anew.
///
/// What the thread cannot do, or does more slowly than more comes, a commit does all the same: else
/// the log would grow without an end.
///
/// Thread safety: none; it belongs to the connection.
class LogFolding final {
public:
    /// After each commit of `connection` from now on. Does nothing yet.
    explicit LogFolding(sqlite_api::sqlite3* connection);
    ~LogFolding();

    LogFolding(const LogFolding&) = delete;
    LogFolding& operator=(const LogFolding&) = delete;

    /// Before a transaction: another process may have let the log grow, and SQLite would cut it
    /// with the commit. Asks the system at most ten times a second.
    void look_at_file();

private:
    static int
    on_commit(void* folding, sqlite_api::sqlite3* connection, const char* database, int frames);
    void look_at_log(int frames);
    void fold();
    void keep(std::int64_t bytes);
    [[nodiscard]] bool ask_thread();
    void run(const std::stop_token& stop);
    void fold_beside(const std::stop_token& stop);
    void fold_by(sqlite_api::sqlite3* own, const std::stop_token& stop);

    sqlite_api::sqlite3* const connection_;
    const std::filesystem::path file_;
    const std::optional<FileIdentity> identity_;
    const std::int64_t synchronous_;
    std::int64_t kept_ = 0;  ///< Bytes of the log that stay on the disk when it begins anew.
    std::chrono::steady_clock::time_point looked_at_{};
    int folded_ = 0;  ///< Frames of it that are in the file, as far as is known here.

    // Written by the thread.
    std::atomic<int> folded_beside_{0};
    std::atomic<int> commit_folds_from_;  ///< From so many frames on, it does not keep up.

    std::mutex mutex_;
    std::condition_variable_any wanted_;
    bool is_wanted_ = false;                    ///< Guarded by mutex_.
    sqlite_api::sqlite3* beside_connection_{};  ///< Guarded by mutex_; while the thread folds.
    std::jthread thread_;                       ///< From the first time on.
};

}  // namespace jobstrand::persistence
