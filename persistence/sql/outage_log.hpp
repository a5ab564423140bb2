#pragma once

#include "persistence/sql/db_error.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <mutex>
#include <optional>

namespace jobstrand::persistence {

/// Says once that the database takes nothing, and once that it works again, however many threads
/// meet the one and the other meanwhile.
///
/// Thread safety: safe. The log must outlive it.
class OutageLog final {
public:
    explicit OutageLog(schema::Log& log) : log_(log) {}

    /// An access has failed. Only what DbError::is_outage() counts.
    void failed(const DbError& error);

    /// What has shown that the database works.
    enum class Access {
        read,   ///< Proves nothing about a database that cannot be written to.
        write,  ///< A transaction that was committed.
    };

    /// An access has succeeded. One that began before the outage is no news.
    void succeeded(Access access, schema::SteadyPoint began);

private:
    struct Outage {
        schema::SteadyPoint since;
        DbErrorKind kind;
    };

    schema::Log& log_;

    std::mutex mutex_;
    std::optional<Outage> outage_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::persistence
