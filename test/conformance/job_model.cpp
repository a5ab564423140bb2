#include "test/conformance/job_model.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::test {

using schema::JobPlace;
using schema::TimePoint;

std::vector<std::string> JobModel::ids(JobPlace place, Lock lock) const {
    std::vector<std::string> found;
    for (const auto& [id, job] : jobs_) {
        const bool fits = lock == Lock::any || job.owner.empty() == (lock == Lock::free);
        if (job.place == place && fits) {
            found.push_back(id);
        }
    }
    return found;
}

void JobModel::insert(
    const std::string& id,
    const std::string& instance,
    std::optional<TimePoint> due,
    TimePoint now
) {
    Job job{.instance = instance, .due = due};
    arrive(job, due && *due > now ? JobPlace::timer : JobPlace::executable);
    jobs_.emplace(id, job);
}

std::vector<std::string> JobModel::acquire(const std::string& owner, TimePoint until) {
    std::vector<std::string> acquired;
    for (const std::string& id : ids(JobPlace::executable, Lock::free)) {
        Job& job = jobs_.at(id);
        arrive(job, JobPlace::executable);
        if (job.place == JobPlace::executable) {
            job.owner = owner;
            job.locked_until = until;
            acquired.push_back(id);
        }
    }
    return acquired;
}

void JobModel::fail(const std::string& id, TimePoint retry_at) {
    Job& job = jobs_.at(id);
    --job.retries;
    if (job.retries > 0) {
        wait(job, retry_at);
    } else {
        job.owner.clear();
        job.place = JobPlace::dead_letter;
    }
}

void JobModel::interrupt(const std::string& id, TimePoint again_at) {
    wait(jobs_.at(id), again_at);
}

std::int64_t JobModel::reset_locks(TimePoint now) {
    std::int64_t freed = 0;
    for (auto& [id, job] : jobs_) {
        if (!job.owner.empty() && job.locked_until < now) {
            job.owner.clear();
            ++freed;
        }
    }
    return freed;
}

std::vector<std::string> JobModel::move_due_timers(TimePoint now) {
    std::vector<std::pair<TimePoint, std::string>> due;
    for (auto& [id, job] : jobs_) {
        if (job.place == JobPlace::timer && *job.due <= now) {
            job.place = JobPlace::executable;
            due.emplace_back(*job.due, id);
        }
    }
    std::ranges::sort(due);
    std::vector<std::string> ids;
    for (auto& [time, id] : due) {
        ids.push_back(std::move(id));
    }
    return ids;
}

void JobModel::requeue(
    const std::string& id,
    int retries,
    std::optional<TimePoint> due,
    TimePoint now
) {
    Job& job = jobs_.at(id);
    job.retries = retries;
    job.due = due;
    arrive(job, due && *due > now ? JobPlace::timer : JobPlace::executable);
}

std::int64_t JobModel::suspend(const std::string& instance, TimePoint now) {
    suspended_.insert(instance);
    std::int64_t moved = 0;
    for (auto& [id, job] : jobs_) {
        const bool is_running = !job.owner.empty() && job.locked_until >= now;
        const bool can_wait = job.place == JobPlace::timer || job.place == JobPlace::executable;
        if (job.instance == instance && can_wait && !is_running) {
            job.owner.clear();
            arrive(job, job.place);
            ++moved;
        }
    }
    return moved;
}

std::int64_t JobModel::activate(const std::string& instance) {
    suspended_.erase(instance);
    std::int64_t moved = 0;
    for (auto& [id, job] : jobs_) {
        if (job.instance == instance && job.place == JobPlace::suspended) {
            job.place = job.suspended_from;
            ++moved;
        }
    }
    return moved;
}

void JobModel::wait(Job& job, TimePoint until) {
    job.owner.clear();
    job.due = until;
    arrive(job, JobPlace::timer);
}

/// Jobs of a suspended instance are put aside wherever they arrive.
void JobModel::arrive(Job& job, JobPlace place) const {
    const bool is_put_aside = suspended_.contains(job.instance);
    job.place = is_put_aside ? JobPlace::suspended : place;
    job.suspended_from = place;
}

}  // namespace jobstrand::test
