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

using engine::with_public_errors;

/// What an operator works at, all on one store.
class Management::Parts final {
public:
    explicit Parts(Engine::Parts& parts) : parts_(parts) {}

    [[nodiscard]] persistence::OperatorStore& store() { return wiring().store(); }
    [[nodiscard]] deadletter::JobAdmin jobs() {
        return {wiring().store(), wiring().series_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::BatchAdmin batches() {
        return {wiring().batch_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::HistoryAdmin history() {
        return {wiring().history_store(), wiring().clock()};
    }
    [[nodiscard]] deadletter::LimitAdmin limits() {
        return deadletter::LimitAdmin(wiring().limit_store());
    }
    [[nodiscard]] const schema::Clock& clock() { return wiring().clock(); }
    [[nodiscard]] TimePoint now() { return clock().now(); }

    // See Engine::Parts.

    template <typename Call>
    auto outside_transaction(const Call& call) {
        return parts_.outside_transaction(call);
    }

    template <typename Call>
    auto change(const Call& call) {
        return parts_.change(call);
    }

private:
    [[nodiscard]] engine::Wiring& wiring() { return parts_.wiring(); }

    Engine::Parts& parts_;
};

[[nodiscard]] Batch to_public(const schema::Batch& batch);
[[nodiscard]] std::optional<Batch> to_public(const std::optional<schema::Batch>& batch);

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

namespace {

std::optional<Batch>
carry_out(deadletter::BatchAdmin batches, std::string_view id, const OnProgress& on_progress) {
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
    return to_public(batches.carry_out(id, {.on_page = on_page}, schema::sleep_for));
}

Batch do_all(
    deadletter::BatchAdmin batches,
    schema::BatchOrder order,
    const JobQuery& query,
    const OnProgress& on_progress
) {
    persistence::JobFilter filter = engine::filter_of(query);
    if (!persistence::BatchStore::can_keep(filter)) {
        throw std::invalid_argument("the texts of the query are too long to be written down");
    }
    order.place = engine::place_of(query.place);
    const schema::Batch begun =
        batches.begin({.order = std::move(order), .filter = std::move(filter)});
    return carry_out(batches, begun.id, on_progress).value_or(to_public(begun));
}

}  // namespace

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
    return parts_->change([&] {
        return do_all(
            parts_->batches(),
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
    return parts_->change([&] {
        return do_all(
            parts_->batches(), {.operation = schema::BatchOperation::remove}, query, on_progress
        );
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
    return parts_->change([&] {
        return do_all(
            parts_->batches(),
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
    return parts_->change([&] {
        const auto batch = parts_->batches().resume(id);
        return batch ? carry_out(parts_->batches(), id, on_progress) : std::nullopt;
    });
}

std::optional<Batch> Management::pause_batch(std::string_view id) {
    return parts_->change([&] { return to_public(parts_->batches().pause(id)); });
}

std::optional<Batch> Management::cancel_batch(std::string_view id) {
    return parts_->change([&] { return to_public(parts_->batches().cancel(id)); });
}

std::optional<Batch> Management::find_batch(std::string_view id) {
    return with_public_errors([&] { return to_public(parts_->batches().find(id)); });
}

}  // namespace jobstrand
