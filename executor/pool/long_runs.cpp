#include "executor/pool/long_runs.hpp"

#include <algorithm>
#include <chrono>

namespace jobstrand::executor {

std::vector<persistence::LongRun>
long_runs(std::vector<HeldJobPtr> running, schema::Duration least, const schema::Clock& clock) {
    const schema::SteadyPoint steady_now = clock.steady_now();
    const schema::TimePoint now = clock.now();
    const auto began = [](const HeldJobPtr& held) { return held->began.load(); };
    std::erase_if(running, [&](const HeldJobPtr& held) {
        return steady_now - began(held) < least;
    });
    std::ranges::sort(running, {}, began);
    running.resize(std::min(running.size(), persistence::NodeWork::kMost));
    std::vector<persistence::LongRun> runs;
    for (const HeldJobPtr& held : running) {
        const auto lasted = std::chrono::round<schema::Duration>(steady_now - began(held));
        runs.push_back({.id = held->job.id, .revision = held->job.revision, .since = now - lasted});
    }
    std::ranges::sort(runs, {}, &persistence::LongRun::id);
    return runs;
}

}  // namespace jobstrand::executor
