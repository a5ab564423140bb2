#include "deadletter/bulk/bulk_pace.hpp"
#include "tools/engine/management_parts.hpp"

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

schema::JobLimit limit_of(const JobLimit& limit) {
    schema::JobLimit ours = schema::limit_named(limit.name);
    ours.concurrent = limit.concurrent;
    ours.per_node = limit.per_node;
    if (limit.rate) {
        ours.rate = schema::StartRate{.starts = limit.rate->starts, .period = limit.rate->period};
    }
    return ours;
}

StoredLimit stored_limit_of(const deadletter::LimitSummary& summary) {
    StoredLimit limit;
    limit.name = schema::name_of(summary.limit);
    limit.concurrent = summary.limit.concurrent;
    limit.per_node = summary.limit.per_node;
    if (const auto& rate = summary.limit.rate) {
        limit.rate = StartRate{.starts = rate->starts, .period = rate->period};
    }
    limit.running = summary.running;
    limit.waiting = summary.waiting;
    return limit;
}

}  // namespace

Management::Management(Engine& engine) : parts_(std::make_unique<Parts>(*engine.parts_)) {}

Management::~Management() = default;

ChangeAnswer Management::change(const std::string& id, const JobChange& change) {
    return parts_->change([&] {
        return engine::to_public(parts_->jobs().change(id, changes_of(change)).answer);
    });
}

ChangeAnswer
Management::cancel(const std::string& id, const std::string& by, const std::string& reason) {
    return parts_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            parts_->jobs().cancel({id}, {.by = by, .reason = reason}, watch);
        });
    });
}

ChangeAnswer Management::suspend_job(const std::string& id) {
    return parts_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            parts_->jobs().suspend_jobs({id}, watch);
        });
    });
}

ChangeAnswer Management::activate_job(const std::string& id) {
    return parts_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            parts_->jobs().activate_jobs({id}, watch);
        });
    });
}

std::int64_t Management::suspend(SuspendedScope scope, const std::string& id) {
    return parts_->change([&] {
        deadletter::BulkRest rest(parts_->clock(), schema::sleep_for);
        const auto on_moved = [&rest](std::int64_t /*moved*/) {
            rest.take();
            return true;
        };
        return parts_->store().suspend(scope_of(scope), id, parts_->now(), on_moved);
    });
}

std::int64_t Management::activate(SuspendedScope scope, const std::string& id) {
    return parts_->change([&] {
        return parts_->store().activate(scope_of(scope), id, parts_->now());
    });
}

std::vector<Incident>
Management::incidents(const IncidentQuery& query, const std::string& behind, std::size_t limit) {
    return with_public_errors([&] {
        const auto page = parts_->history().incidents(
            {.is_open = query.is_open,
             .job = query.job,
             .handler_type = query.handler_type,
             .definition = query.process_definition_id,
             .instance = query.process_instance_id,
             .root_instance = query.root_process_instance_id,
             .tenant = query.tenant_id},
            behind,
            limit
        );
        std::vector<Incident> incidents;
        for (const persistence::Incident& incident : page.items) {
            incidents.push_back(engine::to_public(incident));
        }
        return incidents;
    });
}

ChangeAnswer Management::annotate_incident(const std::string& job, const std::string& text) {
    return parts_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            parts_->history().annotate({job}, text, watch);
        });
    });
}

ChangeAnswer Management::resolve_incident(const std::string& job) {
    return parts_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            parts_->history().resolve({job}, watch);
        });
    });
}

void Management::set_limit(const JobLimit& limit) {
    parts_->outside_transaction([&] { parts_->limits().set(limit_of(limit)); });
}

std::vector<StoredLimit> Management::limits() {
    return with_public_errors([&] {
        std::vector<StoredLimit> limits;
        for (const deadletter::LimitSummary& summary : parts_->limits().list()) {
            limits.push_back(stored_limit_of(summary));
        }
        return limits;
    });
}

ChangeAnswer Management::remove_limit(const std::string& name) {
    return parts_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            parts_->limits().remove({name}, watch);
        });
    });
}

}  // namespace jobstrand
