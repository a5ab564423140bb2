#include "executor/served_here.hpp"

#include <algorithm>
#include <chrono>
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

namespace {

using namespace std::chrono_literals;

constexpr schema::Duration kInterval = 10s;
constexpr schema::Duration kSayAgain = 1h;

/// Free jobs that are looked at: in a long table those in front tell enough, and the look stays
/// cheap.
constexpr std::size_t kRowsLookedAt = 5'000;

}  // namespace

schema::Duration UnservedJobs::run_once() {
    const schema::SteadyPoint now = clock_.steady_now();
    if (view_ != nullptr && view_->none_of(&persistence::IdleView::has_executable, now)) {
        return kInterval;
    }
    if (sees_others_ && !sees_others_()) {
        return kInterval;
    }
    if (!looks_.may_begin(now)) {
        return std::chrono::ceil<schema::Duration>(looks_.rest());
    }
    if (turns_ != nullptr && !turns_->is_mine()) {
        return kInterval;
    }
    std::erase_if(said_, [&](const auto& said) { return now - said.second >= kSayAgain; });
    const auto unserved = store_.unserved(clock_.now(), kRowsLookedAt);
    looks_.was_done(now, clock_.steady_now() - now);
    for (const auto& [kind, jobs] : unserved) {
        if (said_.emplace(kind, now).second) {
            log_.write(
                schema::LogLevel::warn,
                "nobody here serves this kind of job; its jobs wait until a node does",
                {{"handler_type", kind.handler_type},
                 {"needs", kind.needs},
                 {"jobs", jobs},
                 {"category", kind.category},
                 {"tenant", kind.tenant_id},
                 {"definition", kind.process_definition_id}}
            );
        }
    }
    return std::max(kInterval, std::chrono::ceil<schema::Duration>(looks_.rest()));
}

}  // namespace jobstrand::executor
