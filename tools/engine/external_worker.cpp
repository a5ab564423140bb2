#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <jobstrand/external_worker.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand {

namespace {

/// What nobody can have been given.
constexpr int kNoToken = -1;

persistence::HeldJob held_one(const HeldWork& job) {
    persistence::HeldJob held{.id = job.id};
    if (job.fencing_token) {
        const bool may_be = std::in_range<int>(*job.fencing_token);
        held.revision = may_be ? static_cast<int>(*job.fencing_token) : kNoToken;
    }
    return held;
}

std::vector<persistence::HeldJob> held_of(const std::vector<HeldWork>& jobs) {
    std::vector<persistence::HeldJob> held;
    held.reserve(jobs.size());
    std::ranges::transform(jobs, std::back_inserter(held), held_one);
    return held;
}

AcquiredWork acquired_of(schema::Job job) {
    AcquiredWork work{.held = {.id = job.id, .fencing_token = job.revision}};
    work.locked_until = job.lock_expiration.value();
    work.job = engine::stored_job_of(std::move(job), JobPlace::external_worker);
    return work;
}

executor::WorkResult result_of(const WorkResult& result) {
    executor::WorkResult ours{.job = held_one(result.job), .what = {}};
    if (const auto* const failed = std::get_if<Failed>(&result.what)) {
        ours.what = executor::WorkFailed{
            {.message = failed->message,
             .details = failed->details,
             .retryable = failed->retryable,
             .retry_after = failed->retry_after}};
    } else if (const auto& outcome = std::get<WorkDone>(result.what).outcome) {
        engine::require_sound_payload(*outcome);
        ours.what = executor::WorkHandedOn{[&outcome](const schema::Job&) { return *outcome; }};
    }
    return ours;
}

}  // namespace

ExternalWorker::ExternalWorker(Engine& engine, std::string name)
    : engine_(engine), name_(std::move(name)) {}

std::vector<AcquiredWork> ExternalWorker::acquire(const WorkOrder& order) {
    std::vector<AcquiredWork> acquired;
    for (schema::Job& job : engine_.parts_->outside_transaction().workers().acquire(
             {.worker = name_,
  .topics = order.topics,
  .lock = order.lock,
  .jobs = order.jobs,
  .tenants = order.tenants,
  .candidate = order.candidate,
  .by_priority = order.by_priority}
         )) {
        acquired.push_back(acquired_of(std::move(job)));
    }
    return acquired;
}

std::vector<WorkAnswer> ExternalWorker::finish(const std::vector<WorkResult>& results) {
    executor::WorkerBroker& workers = engine_.parts_->outside_transaction().workers();
    std::vector<executor::WorkResult> ours;
    ours.reserve(results.size());
    std::ranges::transform(results, std::back_inserter(ours), result_of);
    return workers.finish(name_, ours);
}

WorkAnswer ExternalWorker::complete(const HeldWork& job, std::optional<std::string> outcome) {
    return finish({{.job = job, .what = WorkDone{std::move(outcome)}}}).front();
}

WorkAnswer ExternalWorker::fail(const HeldWork& job, Failed failure) {
    return finish({{.job = job, .what = std::move(failure)}}).front();
}

std::vector<WorkAnswer> ExternalWorker::extend(const std::vector<HeldWork>& jobs, Duration lock) {
    return engine_.parts_->outside_transaction().workers().extend(name_, held_of(jobs), lock);
}

std::vector<WorkAnswer> ExternalWorker::give_back(const std::vector<HeldWork>& jobs) {
    return engine_.parts_->outside_transaction().workers().give_back(name_, held_of(jobs));
}

std::int64_t ExternalWorker::give_back_all() {
    return engine_.parts_->outside_transaction().workers().give_back_all(name_, std::nullopt);
}

}  // namespace jobstrand
