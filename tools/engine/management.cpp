#include "deadletter/bulk/bulk_pace.hpp"
#include "tools/engine/management_desks.hpp"

#include <jobstrand/management.hpp>

#include <stdexcept>
#include <utility>

namespace jobstrand {

using engine::with_public_errors;

namespace {

persistence::SuspensionScope scope_of(SuspendedScope scope) {
    using persistence::SuspensionScope;
    switch (scope) {
        case SuspendedScope::process_instance:
            return SuspensionScope::instance;
        case SuspendedScope::process_definition:
            return SuspensionScope::definition;
        case SuspendedScope::new_of_definition:
            return SuspensionScope::new_of_definition;
        case SuspendedScope::job_definition:
            return SuspensionScope::job_definition;
        case SuspendedScope::new_of_job_definition:
            return SuspensionScope::new_of_job_definition;
        case SuspendedScope::tenant:
            return SuspensionScope::tenant;
    }
    throw std::invalid_argument("scope is none of its values");
}

persistence::ManyChanges changes_of(const JobChange& change) {
    persistence::ManyChanges changes{.fields = {}, .due_date = change.due_date};
    if (change.retries) {
        changes.fields.push_back(schema::set_to(&schema::Job::retries, *change.retries));
    }
    if (change.priority) {
        changes.fields.push_back(schema::set_to(&schema::Job::priority, *change.priority));
    }
    if (change.payload) {
        engine::require_sound_payload(*change.payload);
        changes.fields.push_back(schema::set_to(&schema::Job::payload, *change.payload));
    }
    return changes;
}

}  // namespace

Management::Management(Engine& engine) : desks_(std::make_unique<Desks>(*engine.parts_)) {}

Management::~Management() = default;

ChangeAnswer Management::change(const std::string& id, const JobChange& change) {
    return desks_->change([&] {
        return engine::face_of(desks_->jobs().change(id, changes_of(change)).answer);
    });
}

ChangeAnswer
Management::cancel(const std::string& id, const std::string& by, const std::string& reason) {
    return desks_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            desks_->jobs().cancel({id}, {.by = by, .reason = reason}, watch);
        });
    });
}

ChangeAnswer Management::suspend_job(const std::string& id) {
    return desks_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            desks_->jobs().suspend_jobs({id}, watch);
        });
    });
}

ChangeAnswer Management::activate_job(const std::string& id) {
    return desks_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            desks_->jobs().activate_jobs({id}, watch);
        });
    });
}

std::int64_t Management::suspend(SuspendedScope scope, const std::string& id) {
    return desks_->change([&] {
        deadletter::BulkRest rest(desks_->clock(), schema::sleep_for);
        const auto on_moved = [&rest](std::int64_t /*moved*/) {
            rest.take();
            return true;
        };
        return desks_->store().suspend(scope_of(scope), id, desks_->now(), on_moved);
    });
}

std::int64_t Management::activate(SuspendedScope scope, const std::string& id) {
    return desks_->change([&] {
        return desks_->store().activate(scope_of(scope), id, desks_->now());
    });
}

}  // namespace jobstrand
