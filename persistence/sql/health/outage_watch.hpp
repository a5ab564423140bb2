#pragma once

#include "persistence/sql/db_error.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace jobstrand::persistence {

/// Knows whether the database takes nothing, as the accesses of this process show. Says once that
/// it is so, and once that it works again, however many threads meet the one and the other
/// meanwhile.
///
/// Thread safety: safe. The log must outlive it.
class OutageWatch final {
public:
    explicit OutageWatch(schema::Log& log) : log_(log) {}

    /// An access has failed. Only what DbError::is_outage() counts. One that began before the end
    /// of an outage is no news: it may have waited for the server that was away.
    void failed(const DbError& error, schema::SteadyPoint began);

    /// What has shown that the database works.
    enum class Access {
        read,   ///< Proves nothing about a database that cannot be written to.
        write,  ///< A transaction that was committed.
    };

    /// An access has succeeded. One that began before the outage is no news.
    void succeeded(Access access, schema::SteadyPoint began);

    /// Waits for the end of an outage; until `until`, or a stop, at most.
    void wait_until_over(const std::stop_token& stop, schema::SteadyPoint until);

    /// When the last outage ended; SteadyPoint::max(): it goes on; nullopt: there was none.
    [[nodiscard]] std::optional<schema::SteadyPoint> last_end() const;

private:
    struct Outage {
        schema::SteadyPoint since;
        DbErrorKind kind;
    };

    schema::Log& log_;

    std::atomic<bool> is_away_{false};  ///< Whether there is an outage_.
    mutable std::mutex mutex_;
    std::condition_variable_any is_over_;
    std::optional<Outage> outage_;                 ///< Guarded by mutex_.
    std::optional<schema::SteadyPoint> last_end_;  ///< Likewise.
};

}  // namespace jobstrand::persistence
