#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/sqlite/sqlite_connection.hpp"
#include "persistence/drivers/sqlite/sqlite_database.hpp"
#include "persistence/drivers/sqlite/sqlite_dialect.hpp"
#include "persistence/drivers/sqlite/sqlite_listener.hpp"

#include <fmt/format.h>

#include <array>

namespace jobstrand::persistence {

/// A file, and no server: `sqlite:PATH`.
///
/// Options: `synchronous` (full, the default, survives a power cut; normal; off) and `busy_timeout`
/// (default PT10S).
extern const Driver kSqliteDriver;

namespace {

using Form = UrlOption::Form;
using Access = SessionPool::Access;

constexpr std::array<std::string_view, 3> kSynchronous{"full", "normal", "off"};
constexpr std::array kOptions{
    UrlOption{"synchronous", Form::word, kSynchronous},
    UrlOption{"busy_timeout"},
};

constexpr std::array kDurability{
    Diagnostics::Setting{"journal_mode", "PRAGMA journal_mode"},
    Diagnostics::Setting{"synchronous", "PRAGMA synchronous"},
};
constexpr std::array kHealth{
    Diagnostics::Figure{
        "pages in the database",
        "pages",
        "SELECT page_count FROM pragma_page_count"},
    Diagnostics::Figure{"free pages", "pages", "SELECT freelist_count FROM pragma_freelist_count"},
};

constexpr std::array kSymptoms{
    Diagnostics::Symptom{
        .name = "free pages",
        .unit = "MiB",
        .sql = "SELECT F.freelist_count * S.page_size / 1048576,"
               " F.freelist_count || ' of ' || C.page_count || ' pages'"
               " FROM pragma_freelist_count F, pragma_page_count C, pragma_page_size S",
        .most = 1024,
        .advice = "while no service runs: sqlite3 FILE VACUUM gives the room back"},
};

SqliteSettings settings_of(const DatabaseUrl& url) {
    SqliteSettings settings{.path = url.path};
    settings.synchronous = option_text(url, "synchronous", settings.synchronous);
    settings.busy_timeout = option_duration(url, "busy_timeout", settings.busy_timeout);
    return settings;
}

void create(const DatabaseUrl& url) {
    SqliteSettings settings = settings_of(url);
    settings.create_if_missing = true;
    static_cast<void>(open_sqlite(settings, Access::write));
}

/// Makes no file: one that has disappeared must not be replaced by an empty one.
std::unique_ptr<Connection> connect(const DatabaseUrl& url, Access access) {
    return open_sqlite(settings_of(url), access);
}

std::string identity(const DatabaseUrl& url) {
    const auto file = file_identity(url.path);
    return file ? fmt::format("{}:{}", file->device, file->inode) : std::string();
}

OpenListener listener(const DatabaseUrl& url) {
    return [settings = settings_of(url)] { return listen_to_sqlite(settings); };
}

}  // namespace

constinit const Driver kSqliteDriver{
    .dialect = kSqliteDialect,
    .url = {.scheme = "sqlite", .options = kOptions},
    .has_one_writer = true,
    .create = create,
    .connect = connect,
    .identity = identity,
    .listener = listener,
    .diagnostics =
        {
            .product = "SQLite",
            .version_sql = "SELECT sqlite_version()",
            .durability = kDurability,
            .health = kHealth,
            .symptoms = kSymptoms,
            .log_suffix = "-wal",
        },
};

}  // namespace jobstrand::persistence
