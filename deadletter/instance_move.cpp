#include "deadletter/instance_move.hpp"

#include "persistence/job_filter.hpp"
#include "schema/paging.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace jobstrand::deadletter {

using persistence::JobAnswer;
using persistence::JobCopy;
using persistence::JobFilter;
using persistence::OperatorStore;
using persistence::SuspensionScope;
using schema::Job;
using schema::JobPlace;

namespace {

/// Jobs of one transaction, and how long their texts may be together.
constexpr std::size_t kJobsOfPage = 500;
constexpr std::size_t kBytesOfPage = std::size_t{4} * 1024 * 1024;

/// How often it is asked whether the running jobs have ended.
constexpr std::chrono::milliseconds kBetweenLooks{200};

/// Rounds in which nothing can be moved because others change the jobs meanwhile.
constexpr int kRoundsInVain = 5;

/// Where the jobs of a suspended instance stand, once none of them runs.
constexpr std::array kPlacesAtRest{JobPlace::suspended, JobPlace::dead_letter};

[[nodiscard]] JobFilter jobs_of(const std::string& instance) {
    return {.fields = {persistence::equals(&Job::process_instance_id, instance)}};
}

template <typename Places>
[[nodiscard]] std::int64_t
jobs_in(OperatorStore& store, const Places& places, const std::string& instance) {
    std::int64_t jobs = 0;
    for (const JobPlace place : places) {
        jobs += store.count(place, jobs_of(instance));
    }
    return jobs;
}

[[nodiscard]] bool is_instance_suspended(OperatorStore& store, const std::string& instance) {
    return std::ranges::any_of(
        store.suspensions_of({.process_instance_id = instance}),
        [](const auto& suspension) { return suspension.scope == SuspensionScope::instance; }
    );
}

/// A job of a series that has begun, or that makes one when it falls due.
[[nodiscard]] std::optional<Job>
job_of_series(OperatorStore& store, JobPlace place, const std::string& instance) {
    std::optional<Job> found;
    schema::for_each_page(
        {.after = {}, .size = kJobsOfPage},
        [&](const std::string& after, std::size_t limit) {
            return store.list(place, jobs_of(instance), after, limit);
        },
        &Job::id,
        [&](const std::vector<Job>& jobs) {
            const auto of_series = std::ranges::find_if(jobs, [](const Job& job) {
                return !job.series.empty() || !job.repeat.empty();
            });
            if (of_series != jobs.end()) {
                found = *of_series;
            }
            return !found.has_value();
        }
    );
    return found;
}

/// What a job of this id in the other database is, if an earlier move has brought it there.
[[nodiscard]] bool is_same_job(const Job& one, const Job& other) {
    return one.process_instance_id == other.process_instance_id &&
           one.handler_type == other.handler_type && one.correlation_id == other.correlation_id &&
           one.create_time == other.create_time;
}

/// All that is stored of a job as it was listed; nullopt: it is gone, or elsewhere.
[[nodiscard]] std::optional<JobCopy> copy_of(OperatorStore& store, JobPlace place, Job job) {
    JobCopy copy{.job = std::move(job)};
    if (!copy.job.custom_values_id.empty()) {
        auto found = store.find(copy.job.id);
        if (!found || found->place != place) {
            return std::nullopt;
        }
        copy.job = std::move(found->job);
    }
    if (!copy.job.exception_stack_id.empty()) {
        copy.details = store.exception_details(copy.job);
    }
    return copy;
}

}  // namespace

MovedInstance InstanceMove::move(const std::string& id) {
    moved_ = 0;
    ItemResult item = refusal_of(id);
    if (item.answer != ItemAnswer::done) {
        return {.item = std::move(item)};
    }
    const bool was_suspended = is_instance_suspended(from_.store, id);
    const bool stays = !rules_.activate && (was_suspended || is_instance_suspended(to_.store, id));
    if (!comes_to_rest(id)) {
        if (!was_suspended) {
            from_.store.activate(SuspensionScope::instance, id, from_.clock.now());
        }
        return {.item = {.id = id, .answer = ItemAnswer::locked}, .is_suspended = was_suspended};
    }
    item = move_all(id);
    item.moved = moved_;
    if (item.answer != ItemAnswer::done) {
        return {.item = std::move(item), .is_suspended = true};
    }
    // In this order: an instance that is suspended here will be moved again.
    if (!stays) {
        to_.store.activate(SuspensionScope::instance, id, to_.clock.now());
    }
    from_.store.activate(SuspensionScope::instance, id, from_.clock.now());
    return {.item = std::move(item), .is_suspended = stays};
}

ItemResult InstanceMove::refusal_of(const std::string& id) {
    for (OperatorStore* const store : {&from_.store, &to_.store}) {
        if (store->is_of_engine(SuspensionScope::instance, id)) {
            return {.id = id, .answer = ItemAnswer::refused, .refusal = Refusal::is_of_engine};
        }
    }
    if (jobs_in(from_.store, schema::kJobPlaces, id) == 0 &&
        !is_instance_suspended(from_.store, id)) {
        return {.id = id, .answer = ItemAnswer::not_found};
    }
    for (const JobPlace place : schema::kJobPlaces) {
        if (const auto job = job_of_series(from_.store, place, id)) {
            return of_series(id, *job);
        }
    }
    return {.id = id};
}

bool InstanceMove::comes_to_rest(const std::string& id) {
    const auto given_up = from_.clock.steady_now() + rules_.patience;
    while (true) {
        // Anew each time: locks of dead nodes come to their ends.
        from_.store.suspend(SuspensionScope::instance, id, from_.clock.now());
        if (jobs_in(from_.store, schema::kSuspendablePlaces, id) == 0) {
            return true;
        }
        if (from_.clock.steady_now() >= given_up) {
            return false;
        }
        rules_.wait(kBetweenLooks);
    }
}

ItemResult InstanceMove::move_all(const std::string& id) {
    alone_.clear();
    for (persistence::Suspension& job : from_.store.suspensions(SuspensionScope::job)) {
        alone_.insert(std::move(job.id));
    }
    for (int in_vain = 0; in_vain < kRoundsInVain;) {
        const std::int64_t before = moved_;
        from_.store.suspend(SuspensionScope::instance, id, from_.clock.now());
        to_.store.suspend(SuspensionScope::instance, id, to_.clock.now());
        for (const JobPlace place : kPlacesAtRest) {
            if (ItemResult item = move_place(place, id); item.answer != ItemAnswer::done) {
                return item;
            }
        }
        if (jobs_in(from_.store, schema::kJobPlaces, id) == 0) {
            return {.id = id};
        }
        in_vain = moved_ > before ? 0 : in_vain + 1;
        if (in_vain > 1) {
            rules_.wait(kBetweenLooks);
        }
    }
    return {.id = id, .answer = ItemAnswer::locked};
}

ItemResult InstanceMove::move_place(JobPlace place, const std::string& id) {
    ItemResult item{.id = id};
    std::vector<JobCopy> page;
    std::size_t bytes = 0;
    const auto write = [&] {
        item = move_page(place, id, std::exchange(page, {}));
        bytes = 0;
        return item.answer == ItemAnswer::done;
    };
    schema::for_each_page(
        {.after = {}, .size = kJobsOfPage},
        [&](const std::string& after, std::size_t limit) {
            return from_.store.list(place, jobs_of(id), after, limit);
        },
        &Job::id,
        [&](std::vector<Job> jobs) {
            for (Job& job : jobs) {
                if (auto copy = copy_of(from_.store, place, std::move(job))) {
                    bytes += copy->job.payload.size() + copy->details.size();
                    page.push_back(*std::move(copy));
                }
                if (bytes > kBytesOfPage && !write()) {
                    return false;
                }
            }
            return page.empty() || write();
        }
    );
    return item;
}

ItemResult
InstanceMove::move_page(JobPlace place, const std::string& id, std::vector<JobCopy> page) {
    for (const JobCopy& copy : page) {
        if (!copy.job.series.empty() || !copy.job.repeat.empty()) {
            return of_series(id, copy.job);  // It has come since the move began.
        }
    }
    const std::vector<bool> are_added = to_.store.restore(place, page);
    std::vector<Job> added;
    for (std::size_t i = 0; i < page.size(); ++i) {
        Job& job = page[i].job;
        if (are_added[i]) {
            if (alone_.contains(job.id)) {
                to_.store.suspend(SuspensionScope::job, job.id, to_.clock.now());
            }
            added.push_back(std::move(job));
        } else if (ItemResult item = make_room(place, id, job); item.answer != ItemAnswer::done) {
            return item;
        }
    }
    remove(place, added);
    return {.id = id};
}

ItemResult InstanceMove::make_room(JobPlace place, const std::string& id, const Job& job) {
    const auto other = to_.store.find(job.id);
    if (!other) {
        // Else somebody has activated the instance: the next round suspends it again.
        const auto owner =
            job.unique_key.empty() ? std::nullopt : to_.store.key_owner(job.unique_key);
        if (!owner || owner->job == job.id) {
            return {.id = id};
        }
        return {
            .id = id,
            .answer = ItemAnswer::refused,
            .refusal = Refusal::unique_key_is_held,
            .unique_key = job.unique_key,
            .holder = owner->job};
    }
    if (!is_same_job(other->job, job)) {
        return {
            .id = id,
            .answer = ItemAnswer::refused,
            .refusal = Refusal::id_is_taken,
            .holder = job.id};
    }
    if (std::ranges::count(kPlacesAtRest, other->place) > 0) {
        // An earlier move was interrupted, and the job may have been changed here since.
        (void)to_.store.remove(other->place, std::span(&job.id, 1), to_.clock.now());
    } else {
        remove(place, std::span(&job, 1));  // Somebody has activated it: there it lives.
    }
    return {.id = id};
}

void InstanceMove::remove(JobPlace place, std::span<const Job> jobs) {
    const auto answers = from_.store.remove_as_read(place, jobs, from_.clock.now());
    moved_ += std::ranges::count(answers, JobAnswer::done);
    if (rules_.on_moved) {
        rules_.on_moved(moved_);
    }
}

ItemResult InstanceMove::of_series(const std::string& id, const Job& job) {
    return {
        .id = id,
        .answer = ItemAnswer::refused,
        .refusal = Refusal::carries_series_on,
        .series = schema::series_key_of(job)};
}

}  // namespace jobstrand::deadletter
