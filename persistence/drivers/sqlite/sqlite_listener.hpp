#pragma once

#include "persistence/drivers/sqlite/sqlite_database.hpp"
#include "persistence/sql/job_listener.hpp"

#include <filesystem>
#include <memory>

namespace jobstrand::persistence {

/// Notices that a write-ahead log is written to, by whichever process of this machine. It never
/// opens the file: closing it would drop this process's locks on it, SQLite's own ones.
///
/// Thread safety: none.
class LogWatch final {
public:
    /// The log is there. Where the system does not watch files for us (it has too many watches, or
    /// none on this file system), the watch has no socket.
    explicit LogWatch(std::filesystem::path log);
    ~LogWatch();

    LogWatch(const LogWatch&) = delete;
    LogWatch& operator=(const LogWatch&) = delete;

    /// Readable when the log was written to; -1: somebody has to look from time to time.
    [[nodiscard]] int socket() const { return socket_; }

    /// Whether it was, since the last call. The socket is not readable any more then.
    [[nodiscard]] bool was_written();

private:
    void watch();
    [[nodiscard]] bool has_new_time();

    const std::filesystem::path log_;
    int socket_ = -1;
    std::filesystem::file_time_type seen_;  ///< Of use without a socket only.
};

/// Hears the commits of all processes that write to a database file, those of this one too: the
/// system tells it that the write-ahead log was written to, and SQLite whether there was a commit,
/// which can be seen only some milliseconds later, when the log has reached the disk. It announces
/// a commit once, and at most every 50 ms, and costs nothing while nobody writes.
///
/// Where the system does not tell, it looks four times a second when the log was last written.
///
/// It has a connection of its own. Throws DbError: the file cannot be opened, or this process can
/// make no timer.
[[nodiscard]] std::unique_ptr<JobListener> listen_to_sqlite(const SqliteSettings& settings);

}  // namespace jobstrand::persistence
