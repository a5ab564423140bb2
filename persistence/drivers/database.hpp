#pragma once

#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/job_listener.hpp"
#include "persistence/sql/session_pool.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace jobstrand::persistence {

/// The servers that a URL names, one of which is the right one at a time: the primary of a cluster,
/// or any of its members.
///
/// Thread safety: safe.
class Hosts final {
public:
    /// Among several, the right one takes writes, unless the URL says otherwise.
    explicit Hosts(const DatabaseUrl& url);

    /// What `connect` makes of the URL of the first host for which it does not throw DbError. It
    /// begins with the host that was right last, so that one that is down is asked once, and goes
    /// on in the order of the URL.
    ///
    /// Throws what came of the only host, or one DbError with the words for each of them: of their
    /// kind if it is the same for all, else unreachable.
    template <class Connect>
    [[nodiscard]] auto connect(const Connect& connect) -> decltype(connect(DatabaseUrl{})) {
        const std::size_t first = right_;
        std::vector<DbError> problems;
        for (std::size_t i = 0; i < urls_.size(); ++i) {
            const std::size_t host = (first + i) % urls_.size();
            // Defended catch: the next one may be the right one.
            try {
                auto made = connect(urls_[host]);
                right_ = host;
                return made;
            } catch (const DbError& error) {
                problems.push_back(error);
            }
        }
        throw joined(problems);
    }

private:
    [[nodiscard]] static DbError joined(const std::vector<DbError>& problems);

    std::vector<DatabaseUrl> urls_;  ///< Of one host each. Constant after construction.
    std::atomic<std::size_t> right_{0};
};

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

/// Chooses the driver by the URL and makes a first connection, so that what is wrong shows itself
/// here. Throws DbError; see open_sqlite, open_mysql and open_postgresql. Of a file that this user
/// may only read, the pool lends connections for reading; for writing: access_denied.
[[nodiscard]] std::unique_ptr<SessionPool>
open_database(const DatabaseUrl& url, const OpenOptions& options = {});

/// How to hear of jobs that other processes have enqueued; empty: this database cannot tell, or the
/// URL does not want it.
[[nodiscard]] OpenListener listener_of(const DatabaseUrl& url);

}  // namespace jobstrand::persistence
