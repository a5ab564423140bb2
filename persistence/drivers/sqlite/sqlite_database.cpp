#include "persistence/drivers/sqlite/sqlite_database.hpp"

#include "persistence/drivers/sqlite/sqlite_backend.hpp"
#include "persistence/drivers/sqlite/sqlite_connection.hpp"
#include "persistence/sql/db_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

namespace jobstrand::persistence {
namespace {

namespace fs = std::filesystem;
using Access = SessionPool::Access;

const SqliteBackend kBackend;

/// SQLite says only that it cannot open a file; why, the file system knows.
void require_openable(const fs::path& path, bool create_if_missing) {
    std::error_code ignored;
    const auto refuse = [](DbErrorKind kind, const std::string& why) { throw DbError(kind, why); };
    if (fs::is_directory(path, ignored)) {
        refuse(
            DbErrorKind::not_a_database,
            fmt::format("{} is a directory: name a file in it", path.string())
        );
    }
    if (!fs::is_directory(path.parent_path(), ignored)) {
        refuse(
            DbErrorKind::unreachable,
            fmt::format(
                "there is no directory {}: create it, or correct the database's path",
                path.parent_path().string()
            )
        );
    }
    if (!create_if_missing && !fs::exists(path, ignored)) {
        refuse(
            DbErrorKind::unreachable,
            fmt::format(
                "there is no database {}: create it with `jobstrand schema create`, or correct "
                "its path",
                path.string()
            )
        );
    }
}

/// Payloads are nobody else's business, whatever the process's umask is. SQLite gives the files
/// beside this one the same mode. Nothing is opened: to close it would end the locks that this
/// process's other connections hold on the file.
void make_private_file(const fs::path& path) {
    std::ignore = ::mknod(path.c_str(), S_IFREG | S_IRUSR | S_IWUSR, 0);  // SQLite tells why not.
}

/// A session of SOCI on a handle that we open. Left alone, SOCI would let several threads use it at
/// once, with a mutex around every call, and give '=' and quotes in a path a meaning. A connection
/// of ours is used by one thread at a time.
std::unique_ptr<soci::session> open_session(const char* name, int flags) {
    auto session = std::make_unique<soci::session>(soci::sqlite3, ":memory:");
    auto& backend = static_cast<soci::sqlite3_session_backend&>(*session->get_backend());
    sqlite_api::sqlite3_close(std::exchange(backend.conn_, nullptr));
    const int code =
        sqlite_api::sqlite3_open_v2(name, &backend.conn_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
    if (code != SQLITE_OK) {
        const std::string message = sqlite_api::sqlite3_errmsg(backend.conn_);
        throw DbError(classify_sqlite(code, message), message);
    }
    return session;
}

/// Of several connections that make a new file's log at once, SQLite refuses some without waiting,
/// because they wait for each other.
std::string write_ahead_log(Connection& connection, std::chrono::milliseconds patience) {
    constexpr std::chrono::milliseconds pause{1};
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (true) {
        try {
            return one_text(connection, "PRAGMA journal_mode = WAL");
        } catch (const DbError& error) {
            const bool is_late = std::chrono::steady_clock::now() >= deadline;
            if (error.kind() != DbErrorKind::busy || is_late) {
                throw;
            }
            std::this_thread::sleep_for(pause);
        }
    }
}

void use_write_ahead_log(Connection& connection, std::chrono::milliseconds patience) {
    if (write_ahead_log(connection, patience) != "wal") {
        throw DbError(
            DbErrorKind::other, "its file system has no write-ahead log: move it to a local disk"
        );
    }
}

/// The page cache holds the rows that are waiting on most days; more gained nothing, and every
/// connection has its own. Memory-mapped reading stays off: it gained nothing, and with it a
/// failing disk ends the process instead of the statement. Writers look after the log (LogFolding).
std::string tuning_script(Access access) {
    return fmt::format(
        "PRAGMA foreign_keys = OFF;"
        "PRAGMA cache_size = -8192;"
        "PRAGMA mmap_size = 0;"
        "PRAGMA query_only = {}",
        access == Access::read ? "ON" : "OFF"
    );
}

/// Where nothing has to survive, what a statement or a savepoint would undo stays in memory. Else a
/// long transaction with savepoints writes it into a file, from the first one on that has changed
/// more than 64 KiB.
std::string patience_script(const SqliteSettings& settings) {
    return fmt::format(
        "PRAGMA busy_timeout = {}; PRAGMA synchronous = {}{}",
        settings.busy_timeout.count(),
        settings.synchronous,
        settings.synchronous == "off" ? "; PRAGMA temp_store = MEMORY" : ""
    );
}

bool may_write(const fs::path& path) {
    return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

bool is_there(const fs::path& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

/// Whether SQLite can write all that its readers need: the log, and the index of it, which stand
/// beside the file itself, wherever a symbolic link to it is.
bool is_writable_for_reader(const fs::path& file) {
    return may_write(file) && (may_write(file.parent_path()) || is_there(file.string() + "-wal"));
}

/// A name that SQLite takes with one of its settings.
std::string uri_of(const fs::path& file, std::string_view setting) {
    std::string uri = "file:";
    for (const char c : file.string()) {
        const bool has_meaning = c == '?' || c == '#' || c == '%';
        uri +=
            has_meaning ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return fmt::format("{}?{}", uri, setting);
}

/// Reads along with those who write, or alone what nobody has open. Nothing is made beside the
/// file: its owner could not write what SQLite would make there for this user.
std::unique_ptr<Connection>
open_unwritable(const fs::path& path, const fs::path& file, const SqliteSettings& settings) {
    const bool has_log = is_there(file.string() + "-wal");
    if (has_log && !is_there(file.string() + "-shm")) {
        throw DbError(
            DbErrorKind::read_only,
            "the process that wrote it has ended without closing it: whoever may write it has to "
            "read it once, as with `jobstrand stats`"
        );
    }
    const std::string uri = uri_of(file, has_log ? "readonly_shm=1" : "immutable=1");
    auto session = open_session(uri.c_str(), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    kBackend.run_script(*session, patience_script(settings) + ";" + tuning_script(Access::read));
    if (has_log) {
        return std::make_unique<SqliteConnection>(std::move(session), kBackend, path);
    }
    return std::make_unique<SqliteSnapshot>(std::move(session), kBackend, path);
}

std::unique_ptr<Connection>
open_configured(const fs::path& path, const SqliteSettings& settings, Access access) {
    std::error_code is_missing;
    const fs::path file = fs::canonical(path, is_missing);
    if (access == Access::read && !is_missing && !is_writable_for_reader(file)) {
        return open_unwritable(path, file, settings);
    }
    if (settings.create_if_missing) {
        make_private_file(path);
    }
    auto session = open_session(
        path.c_str(), SQLITE_OPEN_READWRITE | (settings.create_if_missing ? SQLITE_OPEN_CREATE : 0)
    );
    if (kBackend.is_read_only(*session)) {
        throw DbError(DbErrorKind::read_only, "it opens only for reading");
    }
    kBackend.run_script(*session, patience_script(settings));
    std::unique_ptr<SociConnection> connection;
    if (access == Access::write) {
        connection = std::make_unique<SqliteWriter>(
            std::move(session), kBackend, path, settings.busy_timeout
        );
    } else {
        connection = std::make_unique<SqliteConnection>(std::move(session), kBackend, path);
    }
    use_write_ahead_log(*connection, settings.busy_timeout);
    connection->run_script(tuning_script(access));
    return connection;
}

/// What to do about an error while opening; empty: the error says it all.
std::string_view advice(DbErrorKind kind) {
    switch (kind) {
        case DbErrorKind::not_a_database:
            return "it is not a SQLite database: name another file";
        case DbErrorKind::read_only:
            return "it is read-only for this user: allow writing to the file and its directory";
        case DbErrorKind::access_denied:
        case DbErrorKind::unreachable:
            return "check that this user may read and write the file and its directory";
        case DbErrorKind::storage_full:
            return "its disk is full: free some space";
        case DbErrorKind::busy:
            return "another process keeps it locked: try again later, or raise busy_timeout";
        case DbErrorKind::conflict:
        case DbErrorKind::connection_lost:
        case DbErrorKind::in_doubt:
        case DbErrorKind::duplicate_key:
        case DbErrorKind::too_long:
        case DbErrorKind::schema_missing:
        case DbErrorKind::unreadable:
        case DbErrorKind::other:
            return {};
    }
    return {};
}

DbError opening_error(const fs::path& path, const DbError& error) {
    const std::string_view what_to_do = advice(error.kind());
    return DbError(
        error.kind(),
        what_to_do.empty()
            ? fmt::format("cannot open the database {}: {}", path.string(), error.what())
            : fmt::format(
                  "cannot open the database {}: {} ({})", path.string(), what_to_do, error.what()
              )
    );
}

}  // namespace

std::unique_ptr<Connection> open_sqlite(const SqliteSettings& settings, Access access) {
    // Absolute, because SQLite gives meanings of its own to "", ":memory:" and "file:".
    const fs::path path = fs::absolute(settings.path);
    require_openable(path, settings.create_if_missing);
    // Defended catch: SQLite's words get the path and the advice that a person needs.
    try {
        return open_configured(path, settings, access);
    } catch (const DbError& error) {
        throw opening_error(path, error);
    }
}

}  // namespace jobstrand::persistence
