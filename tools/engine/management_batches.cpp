#include "tools/engine/job_query_conversions.hpp"
#include "tools/engine/management_parts.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand {

using engine::with_public_errors;

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
