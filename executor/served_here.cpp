#include "executor/served_here.hpp"

#include <utility>

namespace jobstrand::executor {

ServedHere::ServedHere(
    const HandlerRegistry& handlers,
    schema::ServedScope scope,
    persistence::Fetching fetching
)
    : handlers_(handlers), fetching_(fetching) {
    look(std::move(scope));
}

std::shared_ptr<const persistence::ServedJobs> ServedHere::now() const {
    const std::lock_guard lock(mutex_);
    return now_;
}

void ServedHere::look_at_handlers() {
    const std::lock_guard lock(mutex_);
    look(now_->scope);
}

void ServedHere::limit_to(schema::ServedScope scope) {
    const std::lock_guard lock(mutex_);
    look(std::move(scope));
}

void ServedHere::look(schema::ServedScope scope) {
    persistence::ServedJobs served(handlers_.types(), handlers_.needs(), std::move(scope));
    served.fetching = fetching_;
    served.types_by_row = handlers_.types_that_end_elsewhere();
    now_ = std::make_shared<const persistence::ServedJobs>(std::move(served));
}

}  // namespace jobstrand::executor
