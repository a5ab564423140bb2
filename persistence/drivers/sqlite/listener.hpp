#pragma once

#include "persistence/sql/job_listener.hpp"

#include <filesystem>
#include <memory>

namespace jobstrand::persistence {

/// Hears the commits of all processes that write to a database file, without a statement: it looks
/// every 50 ms when the write-ahead log was last written. A commit can be seen only some
/// milliseconds after that, when the log has reached the disk, so that each write is announced
/// again for a quarter of a second.
///
/// Throws DbError: this process can make no timer.
[[nodiscard]] std::unique_ptr<JobListener> listen_to_sqlite(const std::filesystem::path& database);

}  // namespace jobstrand::persistence
