#include "executor/locks/lock_watch.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace jobstrand::executor {

namespace {

/// An operator who cancels a job waits for its end.
constexpr schema::Duration kWatchInterval = std::chrono::seconds(1);

}  // namespace

LockWatch::LockWatch(Dependencies dependencies, std::string lock_owner)
    : use_(dependencies), lock_owner_(std::move(lock_owner)) {}

schema::Duration LockWatch::run_once() {
    std::vector<persistence::Fence> fences;
    for (const HeldJobPtr& held : running_for_long()) {
        if (!held->stop.stop_requested()) {
            fences.push_back(
                {.id = held->job.id, .revision = held->job.revision, .claim = held->job.claim}
            );
        }
    }
    if (fences.empty()) {
        return kWatchInterval;
    }
    std::ranges::sort(fences, {}, &persistence::Fence::id);
    for (const std::string& id : use_.held.taken_away(use_.store.not_held(lock_owner_, fences))) {
        use_.log.write(
            schema::LogLevel::info,
            "the running job was taken away, or its lock is lost: it is told to stop",
            {{"job", id}}
        );
    }
    return kWatchInterval;
}

std::vector<HeldJobPtr> LockWatch::running_for_long() {
    std::vector<HeldJobPtr> now = use_.held.running();
    std::ranges::sort(now);
    std::vector<HeldJobPtr> both;
    std::ranges::set_intersection(now, running_, std::back_inserter(both));
    running_ = std::move(now);
    return both;
}

}  // namespace jobstrand::executor
