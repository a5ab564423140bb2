#include "deadletter/batch_admin.hpp"
#include "deadletter/bulk_change.hpp"
#include "deadletter/history_admin.hpp"
#include "deadletter/job_admin.hpp"
#include "deadletter/limit_admin.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/engine_parts.hpp"

#include <jobstrand/management.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand {

namespace {

using engine::Wiring;

deadletter::JobAdmin job_admin(Wiring& wiring) {
    return {wiring.store(), wiring.series_store(), wiring.clock()};
}

deadletter::BatchAdmin batch_admin(Wiring& wiring) {
    return {wiring.batch_store(), wiring.clock()};
}

deadletter::HistoryAdmin history_admin(Wiring& wiring) {
    return {wiring.history_store(), wiring.clock()};
}

deadletter::LimitAdmin limit_admin(Wiring& wiring) {
    return deadletter::LimitAdmin(wiring.limit_store());
}

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
    ours.rate = limit.rate;
    return ours;
}

StoredLimit stored_limit_of(const deadletter::LimitSummary& summary) {
    StoredLimit limit;
    limit.name = schema::name_of(summary.limit);
    limit.concurrent = summary.limit.concurrent;
    limit.per_node = summary.limit.per_node;
    limit.rate = summary.limit.rate;
    limit.running = summary.running;
    limit.waiting = summary.waiting;
    return limit;
}

Batch to_public(const schema::Batch& batch) {
    return {
        .id = batch.id,
        .state = std::string(name_of(batch.state)),
        .total = batch.total,
        .done = batch.done,
        .skipped = batch.skipped,
        .refused = batch.refused,
    };
}

std::optional<Batch> to_public(const std::optional<schema::Batch>& batch) {
    return batch ? std::optional(to_public(*batch)) : std::nullopt;
}

std::optional<Batch> carry_out(Wiring& wiring, std::string_view id, const OnProgress& on_progress) {
    const auto on_page = [&](const deadletter::BulkCounts& counts) {
        return !on_progress || on_progress(
                                   {.id = std::string(id),
                                    .state = "running",
                                    .total = counts.total,
                                    .done = counts.done,
                                    .skipped = counts.skipped,
                                    .refused = counts.refused}
                               );
    };
    return to_public(batch_admin(wiring).carry_out(id, {.on_page = on_page}, schema::sleep_for));
}

Batch do_all(
    Wiring& wiring,
    schema::BatchOrder order,
    const JobQuery& query,
    const OnProgress& on_progress
) {
    persistence::JobFilter filter = engine::filter_of(query);
    if (!persistence::BatchStore::can_keep(filter)) {
        throw std::invalid_argument("the texts of the query are too long to be written down");
    }
    order.place = query.place;
    const schema::Batch begun =
        batch_admin(wiring).begin({.order = std::move(order), .filter = std::move(filter)});
    return carry_out(wiring, begun.id, on_progress).value_or(to_public(begun));
}

}  // namespace

ChangeAnswer Management::change(const std::string& id, const JobChange& change) {
    return engine_.parts_->change([&](Wiring& wiring) {
        return job_admin(wiring).change(id, changes_of(change)).answer;
    });
}

ChangeAnswer
Management::cancel(const std::string& id, const std::string& by, const std::string& reason) {
    return engine_.parts_->change_item([&](Wiring& wiring, const deadletter::BulkWatch& watch) {
        job_admin(wiring).cancel({id}, {.by = by, .reason = reason}, watch);
    });
}

ChangeAnswer Management::suspend_job(const std::string& id) {
    return engine_.parts_->change_item([&](Wiring& wiring, const deadletter::BulkWatch& watch) {
        job_admin(wiring).suspend_jobs({id}, watch);
    });
}

ChangeAnswer Management::activate_job(const std::string& id) {
    return engine_.parts_->change_item([&](Wiring& wiring, const deadletter::BulkWatch& watch) {
        job_admin(wiring).activate_jobs({id}, watch);
    });
}

std::int64_t Management::suspend(SuspendedScope scope, const std::string& id) {
    return engine_.parts_->change([&](Wiring& wiring) {
        deadletter::BulkRest rest(wiring.clock(), schema::sleep_for);
        const auto on_moved = [&rest](std::int64_t /*moved*/) {
            rest.take();
            return true;
        };
        return wiring.store().suspend(scope_of(scope), id, wiring.clock().now(), on_moved);
    });
}

std::int64_t Management::activate(SuspendedScope scope, const std::string& id) {
    return engine_.parts_->change([&](Wiring& wiring) {
        return wiring.store().activate(scope_of(scope), id, wiring.clock().now());
    });
}

std::vector<Incident>
Management::incidents(const IncidentQuery& query, const std::string& behind, std::size_t limit) {
    return history_admin(engine_.parts_->wiring()).incidents(query, behind, limit).items;
}

ChangeAnswer Management::annotate_incident(const std::string& job, const std::string& text) {
    return engine_.parts_->change_item([&](Wiring& wiring, const deadletter::BulkWatch& watch) {
        history_admin(wiring).annotate({job}, text, watch);
    });
}

ChangeAnswer Management::resolve_incident(const std::string& job) {
    return engine_.parts_->change_item([&](Wiring& wiring, const deadletter::BulkWatch& watch) {
        history_admin(wiring).resolve({job}, watch);
    });
}

void Management::set_limit(const JobLimit& limit) {
    limit_admin(engine_.parts_->outside_transaction()).set(limit_of(limit));
}

std::vector<StoredLimit> Management::limits() {
    std::vector<StoredLimit> limits;
    for (const deadletter::LimitSummary& summary : limit_admin(engine_.parts_->wiring()).list()) {
        limits.push_back(stored_limit_of(summary));
    }
    return limits;
}

ChangeAnswer Management::remove_limit(const std::string& name) {
    return engine_.parts_->change_item([&](Wiring& wiring, const deadletter::BulkWatch& watch) {
        limit_admin(wiring).remove({name}, watch);
    });
}

Batch Management::requeue_all(
    const JobQuery& query,
    const NewAttempts& attempts,
    const OnProgress& on_progress
) {
    if (query.place != JobPlace::dead_letter || attempts.retries < 1) {
        throw std::invalid_argument("only dead letters are requeued, with one attempt at least");
    }
    if (attempts.spread < Duration{0} || attempts.per_second < 0) {
        throw std::invalid_argument("neither spread nor per_second can be negative");
    }
    return engine_.parts_->change([&](Wiring& wiring) {
        return do_all(
            wiring,
            {.operation = schema::BatchOperation::requeue,
             .retries = attempts.retries,
             .due_date = attempts.due_date,
             .spread = attempts.spread,
             .per_second = attempts.per_second},
            query,
            on_progress
        );
    });
}

Batch Management::remove_all(const JobQuery& query, const OnProgress& on_progress) {
    return engine_.parts_->change([&](Wiring& wiring) {
        return do_all(wiring, {.operation = schema::BatchOperation::remove}, query, on_progress);
    });
}

Batch Management::change_all(
    const JobQuery& query,
    const JobChange& change,
    const OnProgress& on_progress
) {
    if (change.payload) {
        throw std::invalid_argument("a payload is that of one job: change them one by one");
    }
    const bool is_dead = query.place == JobPlace::dead_letter;
    if ((is_dead && change.retries) ||
        (change.due_date && (is_dead || query.place == JobPlace::suspended))) {
        throw std::invalid_argument("dead letters have no retries, and what is suspended no date");
    }
    return engine_.parts_->change([&](Wiring& wiring) {
        return do_all(
            wiring,
            {.operation = schema::BatchOperation::change,
             .retries = change.retries,
             .priority = change.priority,
             .due_date = change.due_date},
            query,
            on_progress
        );
    });
}

std::optional<Batch> Management::resume_batch(std::string_view id, const OnProgress& on_progress) {
    return engine_.parts_->change([&](Wiring& wiring) {
        return batch_admin(wiring).resume(id) ? carry_out(wiring, id, on_progress) : std::nullopt;
    });
}

std::optional<Batch> Management::pause_batch(std::string_view id) {
    return engine_.parts_->change([&](Wiring& wiring) {
        return to_public(batch_admin(wiring).pause(id));
    });
}

std::optional<Batch> Management::cancel_batch(std::string_view id) {
    return engine_.parts_->change([&](Wiring& wiring) {
        return to_public(batch_admin(wiring).cancel(id));
    });
}

std::optional<Batch> Management::find_batch(std::string_view id) {
    return to_public(batch_admin(engine_.parts_->wiring()).find(id));
}

}  // namespace jobstrand
