#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <jobstrand/external_worker.hpp>

#include <utility>

namespace jobstrand {

namespace {

/// What nobody can have been given.
constexpr int kNoToken = -1;

persistence::HeldJob held_of(const HeldWork& job) {
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
    for (const HeldWork& job : jobs) {
        held.push_back(held_of(job));
    }
    return held;
}

AcquiredWork acquired_of(schema::Job job) {
    AcquiredWork work{.held = {.id = job.id, .fencing_token = job.revision}};
    work.locked_until = job.lock_expiration.value();
    work.job = engine::stored_job_of(std::move(job), schema::JobPlace::external_worker);
    return work;
}

executor::WorkResult result_of(const WorkResult& result) {
    executor::WorkResult ours{.job = held_of(result.job), .what = {}};
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

WorkAnswer work_answer_of(persistence::WorkerAnswer answer) {
    switch (answer) {
        case persistence::WorkerAnswer::done:
            return WorkAnswer::done;
        case persistence::WorkerAnswer::not_found:
            return WorkAnswer::not_found;
        case persistence::WorkerAnswer::not_held:
            break;
    }
    return WorkAnswer::not_held;
}

std::vector<WorkAnswer> answers_of(const std::vector<persistence::WorkerAnswer>& ours) {
    std::vector<WorkAnswer> answers;
    answers.reserve(ours.size());
    for (const persistence::WorkerAnswer answer : ours) {
        answers.push_back(work_answer_of(answer));
    }
    return answers;
}

std::optional<executor::WorkCandidate> candidate_of(const WorkOrder& order) {
    std::optional<executor::WorkCandidate> candidate;
    if (order.candidate) {
        candidate = {.user = order.candidate->user, .groups = order.candidate->groups};
    }
    return candidate;
}

}  // namespace

ExternalWorker::ExternalWorker(Engine& engine, std::string name)
    : engine_(engine), name_(std::move(name)) {}

std::vector<AcquiredWork> ExternalWorker::acquire(const WorkOrder& order) {
    return engine_.parts_->outside_transaction([&] {
        std::vector<AcquiredWork> acquired;
        for (schema::Job& job : engine_.parts_->wiring().workers().acquire(
                 {.worker = name_,
      .topics = order.topics,
      .lock = order.lock,
      .jobs = order.jobs,
      .tenants = order.tenants,
      .candidate = candidate_of(order),
      .by_priority = order.by_priority}
             )) {
            acquired.push_back(acquired_of(std::move(job)));
        }
        return acquired;
    });
}

std::vector<WorkAnswer> ExternalWorker::finish(const std::vector<WorkResult>& results) {
    return engine_.parts_->outside_transaction([&] {
        std::vector<executor::WorkResult> ours;
        ours.reserve(results.size());
        for (const WorkResult& result : results) {
            ours.push_back(result_of(result));
        }
        return answers_of(engine_.parts_->wiring().workers().finish(name_, ours));
    });
}

WorkAnswer ExternalWorker::complete(const HeldWork& job, std::optional<std::string> outcome) {
    return finish({{.job = job, .what = WorkDone{std::move(outcome)}}}).front();
}

WorkAnswer ExternalWorker::fail(const HeldWork& job, Failed failure) {
    return finish({{.job = job, .what = std::move(failure)}}).front();
}

std::vector<WorkAnswer> ExternalWorker::extend(const std::vector<HeldWork>& jobs, Duration lock) {
    return engine_.parts_->outside_transaction([&] {
        return answers_of(engine_.parts_->wiring().workers().extend(name_, held_of(jobs), lock));
    });
}

std::vector<WorkAnswer> ExternalWorker::give_back(const std::vector<HeldWork>& jobs) {
    return engine_.parts_->outside_transaction([&] {
        return answers_of(engine_.parts_->wiring().workers().give_back(name_, held_of(jobs)));
    });
}

std::int64_t ExternalWorker::give_back_all() {
    return engine_.parts_->outside_transaction([&] {
        return engine_.parts_->wiring().workers().give_back_all(name_, std::nullopt);
    });
}

}  // namespace jobstrand
