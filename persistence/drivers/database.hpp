#pragma once

#include "persistence/sql/job_listener.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/url/database_url.hpp"

#include <cstddef>
#include <functional>
#include <memory>

namespace jobstrand::persistence {

/// Wraps a new connection: to count, to trace, to inject faults.
using DecorateConnection = std::function<std::unique_ptr<Connection>(std::unique_ptr<Connection>)>;

struct OpenOptions {
    /// A database in a file that is not there is made, empty; on a server it must be there.
    bool create_if_missing = false;

    /// How many connections at most. Where there is one writer, the others read.
    std::size_t connections = 8;

    /// How long a thread waits for a free connection.
    schema::Duration lease_timeout{std::chrono::seconds(30)};

    /// Called for every connection that the pool makes; empty: it lends them as they are.
    DecorateConnection decorate = {};
};

/// Chooses the driver by the URL and makes a first connection, so that what is wrong
/// shows itself here. Throws DbError; see open_sqlite, open_mysql and open_postgresql. Of a file
/// that this user may only read, the pool lends connections for reading; for writing:
/// access_denied.
[[nodiscard]] std::unique_ptr<SessionPool>
open_database(const DatabaseUrl& url, const OpenOptions& options = {});

/// How to hear of jobs that other processes have enqueued; empty: this database cannot tell, or the
/// URL does not want it.
[[nodiscard]] OpenListener listener_of(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
