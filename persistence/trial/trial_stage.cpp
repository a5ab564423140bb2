#include "persistence/trial/trial_stage.hpp"

#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;
using schema::Job;
using schema::JobPlace;

/// A day behind the first time that all databases hold.
constexpr schema::TimePoint kThen{24h};

}  // namespace

TrialStage::TrialStage(const Parts& parts)
    : settings_(parts.settings),
      clock_(kThen),
      store_(
          parts.pool,
          log_,
          parts.schedule,
          {.attempts = 1},
          schema::ExclusiveOver::instance,
          {},
          {},
          clock_
      ),
      name_("trial-" + store_.ids()->next()) {}

LockClaim TrialStage::claim() const {
    return {.owner = name_, .until = now() + 1min, .now = now()};
}

Job TrialStage::job() {
    Job job;
    job.id = store_.ids()->next();
    job.correlation_id = job.id;
    job.handler_type = name_;
    job.create_time = now();
    return job;
}

Job TrialStage::exclusive_job() {
    Job one = job();
    one.process_instance_id = name_;
    return one;
}

Job TrialStage::insert(JobPlace place, Job job) {
    return store_.enqueuer()
        .insert({{.place = place, .job = std::move(job)}}, IdOrigin::made)
        .front()
        .job;
}

std::vector<Job> TrialStage::insert_and_take(std::vector<Job> jobs) {
    const std::size_t count = jobs.size();
    std::vector<schema::PlacedJob> placed;
    for (Job& job : jobs) {
        placed.push_back({.place = JobPlace::executable, .job = std::move(job)});
    }
    store_.enqueuer().insert(std::move(placed), IdOrigin::made);
    return all_of(count, store_.executor().acquire(claim(), served(), count));
}

std::vector<Job> TrialStage::all_of(std::size_t count, std::vector<Job> found) {
    if (found.size() != count) {
        throw DbError(
            DbErrorKind::other,
            fmt::format("{} jobs were stored, and {} of them were found", count, found.size())
        );
    }
    return found;
}

void TrialStage::apply(const std::vector<std::pair<Job, schema::Transition>>& outcomes) {
    std::vector<Outcome> all;
    for (const auto& [job, transition] : outcomes) {
        all.push_back({
            .job = std::make_shared<const Job>(job),
            .transition = transition,
            .duration = schema::Duration(1),
            .ended = now(),
        });
    }
    for (const OutcomeAnswer answer : store_.executor().apply(name_, all)) {
        if (answer != OutcomeAnswer::done) {
            throw DbError(DbErrorKind::other, "the lock of a job that was just taken is lost");
        }
    }
}

}  // namespace jobstrand::persistence
