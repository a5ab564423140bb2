#include "persistence/sql/health/outage_watch.hpp"

#include <chrono>
#include <string>

namespace jobstrand::persistence {

namespace {

bool takes_no_writes(DbErrorKind kind) {
    return kind == DbErrorKind::read_only || kind == DbErrorKind::storage_full;
}

schema::SteadyPoint now() {
    return std::chrono::time_point_cast<schema::Duration>(std::chrono::steady_clock::now());
}

}  // namespace

void OutageWatch::failed(const DbError& error, schema::SteadyPoint began) {
    if (!error.is_outage()) {
        return;
    }
    {
        const std::scoped_lock lock(mutex_);
        if (outage_ || (last_end_ && began < *last_end_)) {
            return;
        }
        outage_ = {.since = now(), .kind = error.kind()};
        is_away_ = true;
    }
    log_.write(
        schema::LogLevel::warn,
        "the database is away; what needs it is tried again until it is back",
        {{"reason", std::string(name_of(error.kind()))}, {"error", error.what()}}
    );
}

void OutageWatch::succeeded(Access access, schema::SteadyPoint began) {
    schema::Duration lasted{};
    {
        const std::scoped_lock lock(mutex_);
        if (!outage_ || began < outage_->since ||
            (access == Access::read && takes_no_writes(outage_->kind))) {
            return;
        }
        last_end_ = now();
        lasted = std::chrono::floor<schema::Duration>(*last_end_ - outage_->since);
        outage_.reset();
        is_away_ = false;
    }
    is_over_.notify_all();
    log_.write(schema::LogLevel::info, "the database is back", {{"away_ms", lasted.count()}});
}

void OutageWatch::wait_until_over(const std::stop_token& stop, schema::SteadyPoint until) {
    if (is_away_.load(std::memory_order_relaxed)) {  // Asked for every job.
        std::unique_lock lock(mutex_);
        (void)is_over_.wait_until(lock, stop, until, [this] { return !outage_; });
    }
}

std::optional<schema::SteadyPoint> OutageWatch::last_end() const {
    const std::scoped_lock lock(mutex_);
    return outage_ ? schema::SteadyPoint::max() : last_end_;
}

}  // namespace jobstrand::persistence
