#include "executor/expired_lock_reset.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::executor {

ExpiredLockReset::ExpiredLockReset(
    persistence::JobStore& store,
    const schema::Clock& clock,
    schema::Log& log,
    Timing timing,
    std::function<void()> on_freed
)
    : store_(store), clock_(clock), log_(log), timing_(timing), on_freed_(std::move(on_freed)) {}

schema::Duration ExpiredLockReset::run_once() {
    const std::int64_t freed = store_.reset_expired_locks(clock_.now(), timing_.page);
    if (freed == 0) {
        return timing_.interval;
    }
    log_.write(schema::LogLevel::info, "expired locks freed", {{"jobs", fmt::to_string(freed)}});
    on_freed_();
    return schema::Duration{0};
}

}  // namespace jobstrand::executor
