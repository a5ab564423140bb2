#include "persistence/sql/outage_log.hpp"

#include <chrono>
#include <string>

namespace jobstrand::persistence {

namespace {

bool takes_no_writes(DbErrorKind kind) {
    return kind == DbErrorKind::read_only || kind == DbErrorKind::storage_full;
}

}  // namespace

void OutageLog::failed(const DbError& error) {
    if (!error.is_outage()) {
        return;
    }
    {
        const std::scoped_lock lock(mutex_);
        if (outage_) {
            return;
        }
        outage_ = {.since = std::chrono::steady_clock::now(), .kind = error.kind()};
    }
    log_.write(
        schema::LogLevel::warn,
        "the database is away; what needs it is tried again until it is back",
        {{"reason", std::string(name_of(error.kind()))}, {"error", error.what()}}
    );
}

void OutageLog::succeeded(Access access, schema::SteadyPoint began) {
    schema::Duration lasted{};
    {
        const std::scoped_lock lock(mutex_);
        if (!outage_ || began < outage_->since ||
            (access == Access::read && takes_no_writes(outage_->kind))) {
            return;
        }
        lasted = std::chrono::duration_cast<schema::Duration>(
            std::chrono::steady_clock::now() - outage_->since
        );
        outage_.reset();
    }
    log_.write(schema::LogLevel::info, "the database is back", {{"away_ms", lasted.count()}});
}

}  // namespace jobstrand::persistence
