#include "executor/pool/held_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace jobstrand::executor {

namespace {

persistence::Fence fence_with_group(const HeldJob& held) {
    return {
        .id = held.job.id,
        .revision = held.job.revision,
        .group = held.group,
        .claim = held.job.claim};
}

}  // namespace

std::vector<persistence::Fence> fences_of(const std::vector<HeldJobPtr>& jobs) {
    std::vector<persistence::Fence> fences;
    fences.reserve(jobs.size());
    for (const HeldJobPtr& held : jobs) {
        fences.push_back(fence_with_group(*held));
    }
    return fences;
}

std::vector<HeldJobPtr> HeldJobs::add(std::vector<schema::Job> jobs, schema::SteadyPoint until) {
    std::vector<HeldJobPtr> held;
    held.reserve(jobs.size());
    for (schema::Job& job : jobs) {
        std::string group(schema::exclusive_group(job, over_));
        held.push_back(std::make_shared<HeldJob>(std::move(job), until, std::move(group)));
    }
    const std::lock_guard lock(mutex_);
    moves_ += held.size();
    for (const HeldJobPtr& job : held) {
        // A job that comes again while its earlier, lost run still ends takes that run's place
        // here, with its own id as the key.
        if (const auto earlier = jobs_.find(job->job.id); earlier != jobs_.end()) {
            bytes_ -= earlier->second->job.payload.size();
            jobs_.erase(earlier);
        }
        jobs_.emplace(job->job.id, job);
        bytes_ += job->job.payload.size();
    }
    return held;
}

void HeldJobs::remove(const schema::Job& job) {
    {
        const std::lock_guard lock(mutex_);
        forget(job);
    }
    const schema::Job* const one = &job;
    tell_gone(std::span(&one, 1));
}

void HeldJobs::remove_all_of(std::span<const persistence::Outcome> outcomes) {
    std::vector<const schema::Job*> gone;
    gone.reserve(outcomes.size());
    {
        const std::lock_guard lock(mutex_);
        for (const persistence::Outcome& outcome : outcomes) {
            forget(*outcome.job);
            gone.push_back(outcome.job.get());
        }
    }
    tell_gone(gone);
}

void HeldJobs::tell_gone(std::span<const schema::Job* const> jobs) const {
    if (when_gone_) {
        when_gone_(jobs);
    }
}

void HeldJobs::forget(const schema::Job& job) {
    const auto found = jobs_.find(job.id);
    if (found != jobs_.end() && found->second->job.revision == job.revision) {
        bytes_ -= job.payload.size();
        jobs_.erase(found);
        ++moves_;
        if (waiting_ > 0) {
            gone_.notify_all();
        }
    }
}

bool HeldJobs::is_held(const schema::Job& job) const {
    const auto found = jobs_.find(job.id);
    return found != jobs_.end() && found->second->job.revision == job.revision;
}

void HeldJobs::wait_until_gone(const schema::Job& job, schema::Duration limit) {
    std::unique_lock lock(mutex_);
    ++waiting_;
    gone_.wait_for(lock, limit, [&] { return !is_held(job); });
    --waiting_;
}

std::size_t HeldJobs::bytes_left() {
    const std::lock_guard lock(mutex_);
    awaits_bytes_ = awaits_bytes_ || left() == 0;
    return left();
}

bool HeldJobs::is_room_awaited() {
    const std::lock_guard lock(mutex_);
    const bool tells = awaits_bytes_ && left() > 0;
    awaits_bytes_ = awaits_bytes_ && !tells;
    return tells;
}

std::vector<HeldJobPtr> HeldJobs::running() const {
    const std::lock_guard lock(mutex_);
    std::vector<HeldJobPtr> running;
    for (const auto& [id, held] : jobs_) {
        if (held->is_running) {
            running.push_back(held);
        }
    }
    return running;
}

std::size_t HeldJobs::size() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
}

std::vector<persistence::Fence> HeldJobs::expiring_before(schema::SteadyPoint deadline) const {
    const std::lock_guard lock(mutex_);
    std::vector<persistence::Fence> fences;
    for (const auto& [id, held] : jobs_) {
        const bool keeps_group = held->is_taken && !held->is_lost && !held->group.empty();
        const bool is_to_be_kept = keeps_group || !held->stop.stop_requested();
        if (held->lock_until.load() < deadline && is_to_be_kept) {
            fences.push_back(fence_with_group(*held));
        }
    }
    return fences;
}

std::vector<std::string> HeldJobs::expired(schema::SteadyPoint now) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> ids;
    for (const auto& [id, held] : jobs_) {
        if (held->lock_until.load() <= now) {
            ids.emplace_back(id);
        }
    }
    return ids;
}

void HeldJobs::extended(std::span<const persistence::Fence> fences, schema::SteadyPoint until) {
    const std::lock_guard lock(mutex_);
    for (const persistence::Fence& fence : fences) {
        const auto found = jobs_.find(fence.id);
        if (found != jobs_.end() && found->second->job.revision == fence.revision) {
            found->second->lock_until.store(std::max(found->second->lock_until.load(), until));
        }
    }
}

void HeldJobs::lost(std::span<const std::string> ids) {
    const std::lock_guard lock(mutex_);
    for (const std::string& id : ids) {
        const auto found = jobs_.find(id);
        if (found != jobs_.end()) {
            found->second->is_lost = true;
            found->second->stop.request_stop();
        }
    }
}

std::vector<std::string> HeldJobs::taken_away(const std::vector<std::string>& ids) {
    std::vector<std::string> running;
    const std::lock_guard lock(mutex_);
    for (const std::string& id : ids) {
        const auto found = jobs_.find(id);
        // One that has ended meanwhile has left its place by itself.
        if (found != jobs_.end() && found->second->is_running) {
            found->second->is_taken = true;
            found->second->stop.request_stop();
            running.push_back(id);
        }
    }
    return running;
}

HeldJobPtr HeldJobs::written(const persistence::Outcome& outcome) {
    const schema::Job& job = *outcome.job;
    HeldJobPtr held;
    {
        const std::lock_guard lock(mutex_);
        if (is_held(job)) {
            held = jobs_.find(job.id)->second;
        }
    }
    if (held == nullptr || !held->is_running) {
        return nullptr;
    }
    held->written_reason = outcome.transition.reason;
    held->is_written = true;
    held->is_taken = true;
    held->stop.request_stop();
    return held;
}

std::vector<std::string> HeldJobs::without_taken(std::vector<std::string> ids) const {
    const std::lock_guard lock(mutex_);
    std::erase_if(ids, [&](const std::string& id) {
        const auto found = jobs_.find(id);
        return found != jobs_.end() && found->second->is_taken;
    });
    return ids;
}

void HeldJobs::request_stop_of_all() {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, held] : jobs_) {
        held->stop.request_stop();
    }
}

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
