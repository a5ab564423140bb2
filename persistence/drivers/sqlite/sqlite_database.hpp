#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/session_pool.hpp"

#include <filesystem>
#include <memory>
#include <string>

namespace jobstrand::persistence {

/// How a SQLite file is opened.
struct SqliteSettings {
    std::filesystem::path path;
    std::string synchronous = "full";  ///< full (survives a power cut), normal, off.
    schema::Duration busy_timeout{std::chrono::seconds(10)};  ///< The wait for another writer.
    bool create_if_missing = false;
};

/// Opens the file in WAL mode, so that readers and the writer do not wait for each other. A
/// connection for reading refuses to write. A file that it makes, and those that SQLite keeps
/// beside it, only this user may read and write; the mode of a file that is there stays.
///
/// A file that this user may only read is opened for reading, and nothing is made beside it.
///
/// Throws DbError with one sentence that says what to do: unreachable (no such file or directory,
/// or no rights), not_a_database, read_only, storage_full, busy.
[[nodiscard]] std::unique_ptr<Connection>
open_sqlite(const SqliteSettings& settings, SessionPool::Access access);

}  // namespace jobstrand::persistence
