#include "executor/report/unserved_jobs.hpp"

#include <algorithm>
#include <chrono>

namespace jobstrand::executor {

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
