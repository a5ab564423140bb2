#pragma once

#include "persistence/drivers/sqlite/sqlite_database.hpp"
#include "persistence/sql/job_listener.hpp"

#include <memory>

namespace jobstrand::persistence {

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
