#include "deadletter/admin/job_admin.hpp"
#include "deadletter/bulk/bulk_change.hpp"
#include "deadletter/bulk/item_answer.hpp"
#include "deadletter/bulk/job_stretches.hpp"
#include "schema/series/series_transition.hpp"

#include <span>
#include <utility>

namespace jobstrand::deadletter {

namespace {

using persistence::JobAnswer;
using schema::Job;
using schema::JobPlace;

/// A job may move while it is looked for: from the timers to the executable jobs, and from there to
/// the dead letters. It cannot do more in the time of these tries.
constexpr int kTries = 3;

/// Jobs that one transaction removes. Whole rows are read, because they say what carries a series
/// on.
constexpr std::size_t kRemovedAtOnce = 500;

[[nodiscard]] ItemResult refused_removal(const Job& job) {
    return {
        .id = job.id,
        .answer = ItemAnswer::refused,
        .refusal = Refusal::carries_series_on,
        .series = schema::series_key_of(job),
    };
}

}  // namespace

std::vector<JobPlace>
JobAdmin::places_of(const JobSelection& selection, std::optional<JobPlace> place) {
    if (!place && selection.is_by_id()) {
        return {schema::kJobPlaces.begin(), schema::kJobPlaces.end()};
    }
    return {place.value_or(JobPlace::executable)};
}

BulkCounts JobAdmin::remove(
    const JobSelection& selection,
    std::optional<JobPlace> place,
    const BulkWatch& watch
) {
    if (selection.is_by_id()) {
        const auto remove = [&](const std::string& id) { return remove_one(id, place); };
        return change_each(selection.ids(), remove, watch);
    }
    const JobPlace from = places_of(selection, place).front();
    const BulkSource source{
        .total = count_in(store_, from, selection.filter()),
        .page = kRemovedAtOnce,
        .read = [&](const std::string& after, std::size_t limit
                ) { return list_in(store_, from, selection.filter(), after, limit); },
        .key_of = &Job::id,
    };
    return change_all(
        source, [&](const std::vector<Job>& jobs) { return remove_page(from, jobs); }, watch
    );
}

/// Without the job that carries it on, a series would end unasked.
bool JobAdmin::carries_series_on(const Job& job) {
    if (job.repeat.empty()) {
        return false;
    }
    const auto found = series_store_.find_series(schema::series_key_of(job));
    return found && !schema::is_only_a_namesake(job, found->series);
}

ItemResult JobAdmin::remove_one(const std::string& id, std::optional<JobPlace> place) {
    for (int i = 0; i < kTries; ++i) {
        const auto found = store_.find(id);
        if (found && carries_series_on(found->job)) {
            return refused_removal(found->job);
        }
        if (!found && !place) {
            break;
        }
        // Not where it was found: a duplicate may stand in both places, and only one of them is
        // meant.
        const JobPlace from = place ? *place : found->place;
        const JobAnswer answer = store_.remove(from, std::span(&id, 1), clock_.now()).front();
        if (answer != JobAnswer::not_found || place) {
            return result_of(store_, id, answer);
        }
    }
    return result_of(store_, id, JobAnswer::not_found);
}

std::vector<ItemResult> JobAdmin::remove_page(JobPlace place, const std::vector<Job>& jobs) {
    std::vector<ItemResult> items;
    std::vector<std::string> ids;
    for (const Job& job : jobs) {
        if (carries_series_on(job)) {
            items.push_back(refused_removal(job));
        } else {
            ids.push_back(job.id);
        }
    }
    const std::vector<JobAnswer> answers = store_.remove(place, ids, clock_.now());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const ItemAnswer answer = answers[i] == JobAnswer::done     ? ItemAnswer::done
                                  : answers[i] == JobAnswer::locked ? ItemAnswer::locked
                                                                    : ItemAnswer::skipped;
        items.push_back({.id = std::move(ids[i]), .answer = answer});
    }
    return items;
}

namespace {

/// A job may move while it is looked for: from the timers to the executable jobs, and back to wait
/// for a retry.
constexpr int kTriesToCancel = 3;

[[nodiscard]] std::string message_of(const Cancellation& cancellation) {
    std::string message = "cancelled";
    if (!cancellation.by.empty()) {
        message += " by " + cancellation.by;
    }
    if (!cancellation.reason.empty()) {
        message += ": " + cancellation.reason;
    }
    return message;
}

}  // namespace

BulkCounts JobAdmin::cancel(
    const std::vector<std::string>& ids,
    const Cancellation& cancellation,
    const BulkWatch& watch
) {
    const std::string message = message_of(cancellation);
    const auto cancel = [&](const std::string& id) { return cancel_one(id, message); };
    return change_each(ids, cancel, watch);
}

ItemResult JobAdmin::cancel_one(const std::string& id, const std::string& message) {
    for (int i = 0; i < kTriesToCancel; ++i) {
        const auto found = store_.find(id);
        if (!found || found->place == JobPlace::dead_letter) {
            break;
        }
        const bool waits = found->place != JobPlace::executable;
        if (waits && carries_series_on(found->job)) {
            return {
                .id = id,
                .answer = ItemAnswer::refused,
                .refusal = Refusal::carries_series_on,
                .series = schema::series_key_of(found->job),
            };
        }
        const JobAnswer answer =
            store_.cancel(found->place, std::span(&id, 1), message, clock_.now()).front();
        if (answer != JobAnswer::not_found) {
            return result_of(store_, id, answer);
        }
    }
    return result_of(store_, id, JobAnswer::not_found);
}

}  // namespace jobstrand::deadletter
