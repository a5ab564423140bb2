#pragma once

#include <filesystem>

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

}  // namespace jobstrand::persistence
