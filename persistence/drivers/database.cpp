#include "persistence/drivers/database.hpp"

#include "persistence/drivers/mysql/database.hpp"
#include "persistence/drivers/postgresql/database.hpp"
#include "persistence/drivers/postgresql/listener.hpp"
#include "persistence/drivers/sqlite/database.hpp"
#include "persistence/drivers/sqlite/listener.hpp"
#include "persistence/url/url_options.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {
namespace {

using schema::DatabaseKind;

SqliteSettings sqlite_settings(const DatabaseUrl& url) {
    SqliteSettings settings{.path = url.path};
    settings.synchronous = option_text(url, "synchronous", settings.synchronous);
    settings.busy_timeout = option_duration(url, "busy_timeout", settings.busy_timeout);
    return settings;
}

SessionPool::Connect connect_to_sqlite(SqliteSettings settings, const OpenOptions& options) {
    if (options.create_if_missing) {
        settings.create_if_missing = true;
        static_cast<void>(open_sqlite(settings, SessionPool::Access::write));
        // A file that disappears later must not be replaced by an empty one.
        settings.create_if_missing = false;
    }
    return [settings](SessionPool::Access access) { return open_sqlite(settings, access); };
}

SessionPool::Connect connect_to(const DatabaseUrl& url, const OpenOptions& options) {
    switch (url.kind) {
        case DatabaseKind::sqlite:
            return connect_to_sqlite(sqlite_settings(url), options);
        case DatabaseKind::mysql:
            return [url](SessionPool::Access) { return open_mysql(url); };
        case DatabaseKind::postgresql:
            return [url](SessionPool::Access) { return open_postgresql(url); };
    }
    throw std::logic_error("a kind of database without a driver");
}

SessionPool::Connect decorated(SessionPool::Connect connect, DecorateConnection decorate) {
    if (!decorate) {
        return connect;
    }
    return [connect = std::move(connect), decorate = std::move(decorate)](auto access) {
        return decorate(connect(access));
    };
}

SessionPool::Size pool_size(DatabaseKind kind, std::size_t connections) {
    if (kind == DatabaseKind::sqlite) {
        return {.writers = 1, .readers = std::max<std::size_t>(connections, 2) - 1};
    }
    return {.writers = std::max<std::size_t>(connections, 1), .readers = 0};
}

}  // namespace

std::unique_ptr<SessionPool> open_database(const DatabaseUrl& url, const OpenOptions& options) {
    auto pool = std::make_unique<SessionPool>(
        decorated(connect_to(url, options), options.decorate),
        pool_size(url.kind, options.connections),
        options.lease_timeout
    );
    static_cast<void>(pool->lease(SessionPool::Access::write));
    return pool;
}

OpenListener listener_of(const DatabaseUrl& url) {
    switch (url.kind) {
        case DatabaseKind::sqlite:
            return [path = url.path] { return listen_to_sqlite(path); };
        case DatabaseKind::postgresql:
            return announces_jobs(url) ? [url] { return listen_to_postgresql(url); }
                                       : OpenListener{};
        case DatabaseKind::mysql:
            return {};
    }
    return {};
}

}  // namespace jobstrand::persistence
