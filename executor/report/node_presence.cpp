#include "executor/report/node_presence.hpp"

namespace jobstrand::executor {

namespace {

using namespace std::chrono_literals;

/// A node that is slow or cut off for a while still counts as living: see persistence::kNodeLife.
constexpr schema::Duration kPresenceInterval = 10s;
static_assert(kPresenceInterval * 3 < persistence::kNodeLife);

constexpr schema::Duration kSayAgain = 1h;

/// Free jobs that are looked at: in a long table those in front tell enough, and the look stays
/// cheap.
constexpr std::size_t kRowsLookedAt = 5'000;

}  // namespace

schema::Duration NodePresence::run_once() {
    use_.store.tell_served(use_.intake.lock_owner(), use_.intake.served(), use_.clock.now());
    say_what_nobody_serves();
    return kPresenceInterval;
}

void NodePresence::say_what_nobody_serves() {
    const schema::SteadyPoint now = use_.clock.steady_now();
    std::erase_if(said_, [&](const auto& said) { return now - said.second >= kSayAgain; });
    for (const auto& [kind, jobs] : use_.store.unserved(use_.clock.now(), kRowsLookedAt)) {
        if (said_.emplace(kind, now).second) {
            use_.log.write(
                schema::LogLevel::warn,
                "nobody here serves this kind of job; its jobs wait until a node does",
                {{"handler_type", kind.handler_type}, {"needs", kind.needs}, {"jobs", jobs}}
            );
        }
    }
}

void NodePresence::leave() {
    use_.store.forget_node(use_.intake.lock_owner());
}

}  // namespace jobstrand::executor
