#include "persistence/sqlite_database.hpp"

#include "persistence/db_error.hpp"
#include "persistence/soci_connection.hpp"
#include "persistence/sqlite_backend.hpp"
#include "persistence/sqlite_errors.hpp"

#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <system_error>

namespace jobstrand::persistence {

namespace {

namespace fs = std::filesystem;
using Access = SessionPool::Access;

const SqliteBackend kBackend;

/// Nothing of SQLite's own says why a file cannot be opened; the file system does.
void require_openable(const fs::path& path, bool create_if_missing) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        throw DbError(
            DbErrorKind::not_a_database,
            fmt::format("{} is a directory: name a file in it", path.string())
        );
    }
    if (!fs::is_directory(path.parent_path(), ignored)) {
        throw DbError(
            DbErrorKind::unreachable,
            fmt::format(
                "there is no directory {} for the database {}: create it first, or correct the "
                "path",
                path.parent_path().string(),
                path.filename().string()
            )
        );
    }
    if (!create_if_missing && !fs::exists(path, ignored)) {
        throw DbError(
            DbErrorKind::unreachable,
            fmt::format(
                "there is no database {}: create it with `jobstrand schema create`, or correct the "
                "path",
                path.string()
            )
        );
    }
}

/// SOCI takes a text without '=' as the path itself, and takes any other apart at '=', quotes and
/// spaces.
std::string connect_string(const std::string& path) {
    if (path.find('=') == std::string::npos) {
        return path;
    }
    if (path.find('"') != std::string::npos) {
        throw DbError(
            DbErrorKind::unreachable,
            fmt::format("{}: a path with both '=' and '\"' in it cannot be opened: rename it", path)
        );
    }
    return "db=\"" + path + "\"";
}

std::unique_ptr<soci::session> open_session(const fs::path& path) {
    // Defended catch: SOCI's error becomes ours. The handle is closed by then, so only the primary
    // code in result() is left.
    try {
        return std::make_unique<soci::session>(soci::sqlite3, connect_string(path.string()));
    } catch (const soci::sqlite3_soci_error& error) {
        const DbErrorKind kind = classify_sqlite(error.result(), error.get_error_message());
        throw DbError(
            kind,
            fmt::format(
                "cannot open the database {}: {} Check the rights of the file and its directory",
                path.string(),
                error.get_error_message()
            )
        );
    }
}

std::string pragma_value(Connection& connection, std::string_view pragma) {
    std::string value;
    connection.query({.sql = pragma, .columns = 1}, {}, [&](const Row& row) {
        value = row.text(0);
    });
    return value;
}

}  // namespace

std::unique_ptr<Connection> open_sqlite(const SqliteSettings& settings, Access access) {
    const fs::path path = fs::absolute(settings.path);
    require_openable(path, settings.create_if_missing);
    auto connection = std::make_unique<SociConnection>(open_session(path), kBackend);
    connection->run_script(fmt::format("PRAGMA busy_timeout = {}", settings.busy_timeout.count()));
    if (pragma_value(*connection, "PRAGMA journal_mode = WAL") != "wal") {
        throw DbError(DbErrorKind::other, "no WAL");
    }
    connection->run_script(fmt::format("PRAGMA synchronous = {}", settings.synchronous));
    if (access == Access::read) {
        connection->run_script("PRAGMA query_only = ON");
    }
    return connection;
}

}  // namespace jobstrand::persistence
