#include "schema/job_fields.hpp"
#include "schema/job_validation.hpp"
#include "schema/text/name_list.hpp"
#include "tools/engine/conversions.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <utility>

namespace jobstrand {

std::string_view name_of(JobPlace place) {
    return schema::name_of(engine::place_of(place));
}

namespace engine {

namespace {

/// A field that the public job and ours have in common.
struct SharedField {
    std::string NewJob::*face;
    std::string schema::Job::*ours;
};

constexpr std::array kSharedFields{
    SharedField{&NewJob::handler_type, &schema::Job::handler_type},
    SharedField{&NewJob::payload, &schema::Job::payload},
    SharedField{&NewJob::retry_cycle, &schema::Job::retry_cycle},
    SharedField{&NewJob::repeat, &schema::Job::repeat},
    SharedField{&NewJob::unique_key, &schema::Job::unique_key},
    SharedField{&NewJob::correlation_id, &schema::Job::correlation_id},
    SharedField{&NewJob::trace_parent, &schema::Job::trace_parent},
    SharedField{&NewJob::process_instance_id, &schema::Job::process_instance_id},
    SharedField{&NewJob::root_process_instance_id, &schema::Job::root_process_instance_id},
    SharedField{&NewJob::process_definition_id, &schema::Job::process_definition_id},
    SharedField{&NewJob::execution_id, &schema::Job::execution_id},
    SharedField{&NewJob::element_id, &schema::Job::element_id},
    SharedField{&NewJob::element_name, &schema::Job::element_name},
    SharedField{&NewJob::category, &schema::Job::category},
    SharedField{&NewJob::tenant_id, &schema::Job::tenant_id},
    SharedField{&NewJob::scope_id, &schema::Job::scope_id},
    SharedField{&NewJob::sub_scope_id, &schema::Job::sub_scope_id},
    SharedField{&NewJob::scope_type, &schema::Job::scope_type},
    SharedField{&NewJob::scope_definition_id, &schema::Job::scope_definition_id},
    SharedField{&NewJob::deployment_id, &schema::Job::deployment_id},
    SharedField{&NewJob::job_definition_id, &schema::Job::job_definition_id},
    SharedField{&NewJob::id, &schema::Job::id},
};

/// A list of names that both have.
struct SharedList {
    std::vector<std::string> NewJob::*face;
    std::string schema::Job::*ours;
};

constexpr std::array kSharedLists{
    SharedList{&NewJob::calling_instances, &schema::Job::calling_instances},
    SharedList{&NewJob::candidate_users, &schema::Job::candidate_users},
    SharedList{&NewJob::candidate_groups, &schema::Job::candidate_groups},
};

/// Throws std::invalid_argument for what no list can have.
std::string joined(const SharedList& list, const NewJob& job) {
    const auto names = schema::joined_names(job.*list.face);
    if (!names) {
        throw std::invalid_argument(
            fmt::format("{} {}", schema::field_of(list.ours).name, names.error().message)
        );
    }
    return names.value();
}

schema::OnDuplicate rule_of(OnDuplicate on_duplicate) {
    switch (on_duplicate) {
        case OnDuplicate::reject:
            return schema::OnDuplicate::reject;
        case OnDuplicate::keep:
            return schema::OnDuplicate::keep;
        case OnDuplicate::replace:
            return schema::OnDuplicate::replace;
    }
    throw std::invalid_argument("on_duplicate is none of its values");
}

}  // namespace

schema::Job job_of(NewJob job) {
    schema::Job ours;
    for (const SharedField& field : kSharedFields) {
        ours.*field.ours = std::move(job.*field.face);
    }
    for (const SharedList& list : kSharedLists) {
        ours.*list.ours = joined(list, job);
    }
    if (ours.scope_type.empty()) {
        ours.scope_type = schema::kOurScope;
    }
    if (job.for_external_worker) {
        ours.type = schema::kExternalWorkerType;
    }
    ours.due_date = job.due_date;
    ours.priority = job.priority;
    ours.retries = job.retries.value_or(schema::kDefaultRetries);
    ours.exclusive = job.exclusive;
    return ours;
}

std::vector<executor::UniqueJob> jobs_of(std::vector<NewJob> jobs) {
    std::vector<executor::UniqueJob> ours;
    ours.reserve(jobs.size());
    for (NewJob& job : jobs) {
        const schema::KeyRule rule{
            .on_duplicate = rule_of(job.on_duplicate), .period = job.unique_for};
        ours.push_back({.job = job_of(std::move(job)), .rule = rule});
    }
    return ours;
}

Enqueued to_public(schema::Enqueued enqueued) {
    return {
        .id = std::move(enqueued.id),
        .is_added = enqueued.is_added,
        .replaced = std::move(enqueued.replaced),
    };
}

StoredJob stored_job_of(schema::Job job, schema::JobPlace place) {
    StoredJob stored;
    for (const SharedField& field : kSharedFields) {
        stored.*field.face = std::move(job.*field.ours);
    }
    for (const SharedList& list : kSharedLists) {
        stored.*list.face = schema::names_in(job.*list.ours);
    }
    if (stored.scope_type == schema::kOurScope) {
        stored.scope_type.clear();
    }
    stored.for_external_worker = job.type == schema::kExternalWorkerType;
    stored.due_date = job.due_date;
    stored.priority = job.priority;
    stored.retries = job.retries;
    stored.exclusive = job.exclusive;
    stored.place = to_public(place);
    stored.attempts = job.attempts;
    stored.exception_message = std::move(job.exception_message);
    stored.series = std::move(job.series);
    stored.lock_owner = std::move(job.lock_owner);
    stored.create_time = job.create_time;
    return stored;
}

void require_sound_payload(const std::string& payload) {
    const auto problems =
        schema::problems_of_field(schema::field_of(&schema::Job::payload), {.payload = payload});
    if (!problems.empty()) {
        throw std::invalid_argument(problems.front());
    }
}

}  // namespace engine

}  // namespace jobstrand
