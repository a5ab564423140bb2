#include "persistence/drivers/callback/connection.hpp"

#include "persistence/sql/placeholders.hpp"

#include <exception>
#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

using schema::DatabaseKind;

CallbackConnection::CallbackConnection(DatabaseKind kind, Run run)
    : kind_(kind), run_(std::move(run)) {}

std::int64_t CallbackConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    if (kind_ == DatabaseKind::postgresql) {
        run_(number_placeholders(sql), parameters);
    } else {
        run_(sql, parameters);
    }
    return 0;
}

void CallbackConnection::query(Query, std::span<const Value>, const RowReader&) {
    throw std::logic_error("a connection that only runs statements returns no rows");
}

void CallbackConnection::run_script(std::string_view sql) {
    run_(sql, {});
}

// A timestamp of MySQL is read in the zone of the session.
void CallbackConnection::begin() {
    if (kind_ == DatabaseKind::mysql) {
        run_script("SET @jobstrand_zone = @@session.time_zone");
        run_script("SET time_zone = '+00:00'");
    }
}

void CallbackConnection::announce_jobs() {
    if (kind_ == DatabaseKind::postgresql) {
        run_script("NOTIFY jobstrand");
    }
}

void CallbackConnection::commit() {
    if (kind_ == DatabaseKind::mysql) {
        run_script("SET time_zone = @jobstrand_zone");
    }
}

void CallbackConnection::rollback() noexcept {
    // Defended catch: whoever rolls back is already dealing with an error, which says more.
    try {
        commit();
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace jobstrand::persistence
