#include "executor/served_here.hpp"

#include <utility>
#include <vector>

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

bool ServedHere::leave_out(std::set<std::string> types) {
    const std::lock_guard lock(mutex_);
    if (left_out_ == types) {
        return false;
    }
    left_out_ = std::move(types);
    look(now_->scope);
    return true;
}

void ServedHere::look(schema::ServedScope scope) {
    std::vector<std::string> types = handlers_.types();
    std::erase_if(types, [this](const std::string& type) { return left_out_.contains(type); });
    persistence::ServedJobs served(std::move(types), handlers_.needs(), std::move(scope));
    served.fetching = fetching_;
    served.types_by_row = handlers_.types_that_end_elsewhere();
    now_ = std::make_shared<const persistence::ServedJobs>(std::move(served));
}

}  // namespace jobstrand::executor
