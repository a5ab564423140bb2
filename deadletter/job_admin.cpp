#include "deadletter/job_admin.hpp"

#include "deadletter/bulk_change.hpp"
#include "deadletter/job_selection.hpp"
#include "schema/series_transition.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

namespace jobstrand::deadletter {

using persistence::JobAnswer;
using persistence::ManyChanges;
using persistence::SuspensionScope;
using schema::Job;
using schema::JobPlace;

BulkCounts JobAdmin::fire(const std::vector<std::string>& ids, const BulkWatch& watch) {
    const auto fire = [&](const std::string& id) { return store_.fire_timer(id, clock_.now()); };
    return change_timers(ids, fire, watch);
}

BulkCounts JobAdmin::reschedule(
    const std::vector<std::string>& ids,
    schema::TimePoint due_date,
    const BulkWatch& watch
) {
    const auto reschedule = [&](const std::string& id) {
        return store_.reschedule_timer(id, due_date, clock_.now());
    };
    return change_timers(ids, reschedule, watch);
}

BulkCounts JobAdmin::suspend(
    SuspensionScope scope,
    const std::vector<std::string>& ids,
    const BulkWatch& watch
) {
    const auto suspend = [&](const std::string& id) {
        return store_.suspend(scope, id, clock_.now(), watch.on_moved);
    };
    return change_scopes(scope, ids, suspend, watch);
}

BulkCounts JobAdmin::activate(
    SuspensionScope scope,
    const std::vector<std::string>& ids,
    const BulkWatch& watch
) {
    const auto activate = [&](const std::string& id) {
        return store_.activate(scope, id, clock_.now(), watch.on_moved);
    };
    return change_scopes(scope, ids, activate, watch);
}

template <typename Change>
BulkCounts JobAdmin::change_scopes(
    SuspensionScope scope,
    const std::vector<std::string>& ids,
    const Change& change,
    const BulkWatch& watch
) {
    const auto change_one = [&](const std::string& id) -> ItemResult {
        if (store_.is_of_engine(scope, id)) {
            return refused_as_of_engine(id);
        }
        return {.id = id, .moved = change(id)};
    };
    return change_each(ids, change_one, watch);
}

template <typename Change>
BulkCounts JobAdmin::change_timers(
    const std::vector<std::string>& ids,
    const Change& change,
    const BulkWatch& watch
) {
    // Which series a timer carries on is read before: a timer that has fired carries none on.
    const auto change_one = [&](const std::string& id) {
        const auto before = store_.find(id);
        ItemResult item = result_of(store_, id, change(id));
        if (before && !before->job.repeat.empty()) {
            item.series = schema::series_key_of(before->job);
        }
        return item;
    };
    return change_each(ids, change_one, watch);
}

namespace {

/// A job may move while it is looked for: between the timers and the executable jobs, and from
/// there to the dead letters. It cannot do more in the time of these tries.
constexpr int kTriesToFind = 3;

/// Jobs that one transaction changes or removes. Whole rows are read, because they say what carries
/// a series on.
constexpr std::size_t kChangedAtOnce = 500;

[[nodiscard]] bool is_about_retries(const schema::JobChange& change) {
    return schema::field_of(member_of(change)).is_about(&Job::retries);
}

[[nodiscard]] bool is_no_retries(const schema::JobChange& change) {
    return is_about_retries(change) && std::get<schema::MemberChange<int>>(change).value == 0;
}

[[nodiscard]] bool waits_for_date(JobPlace place) {
    return place == JobPlace::timer || place == JobPlace::executable ||
           place == JobPlace::external_worker;
}

[[nodiscard]] ItemResult refused_for_series(const Job& job) {
    return {
        .id = job.id,
        .answer = ItemAnswer::refused,
        .refusal = Refusal::carries_series_on,
        .series = schema::series_key_of(job),
    };
}

}  // namespace

Refusal JobAdmin::refusal_of(JobPlace place, const Job& job, const ManyChanges& changes) {
    if (changes.due_date && !waits_for_date(place)) {
        return Refusal::waits_for_no_date;
    }
    if (place == JobPlace::dead_letter && std::ranges::any_of(changes.fields, is_about_retries)) {
        return Refusal::has_no_retries;
    }
    const bool is_given_up = std::ranges::any_of(changes.fields, is_no_retries);
    return is_given_up && place != JobPlace::executable && carries_series_on(job)
               ? Refusal::carries_series_on
               : Refusal::none;
}

std::optional<ItemResult>
JobAdmin::refused_change(JobPlace place, const Job& job, const ManyChanges& changes) {
    const Refusal refusal = refusal_of(place, job, changes);
    if (refusal == Refusal::none) {
        return std::nullopt;
    }
    const bool is_of_series = refusal == Refusal::carries_series_on;
    return ItemResult{
        .id = job.id,
        .answer = ItemAnswer::refused,
        .refusal = refusal,
        .place = place,
        .series = is_of_series ? schema::series_key_of(job) : std::string(),
    };
}

ItemResult JobAdmin::change(const std::string& id, const ManyChanges& changes) {
    return change_one(id, std::nullopt, changes);
}

BulkCounts JobAdmin::change(
    const JobSelection& selection,
    std::optional<JobPlace> place,
    const ManyChanges& changes,
    const BulkWatch& watch
) {
    if (selection.is_by_id()) {
        const auto change = [&](const std::string& id) { return change_one(id, place, changes); };
        return change_each(selection.ids(), change, watch);
    }
    const JobPlace from = places_of(selection, place).front();
    return change_matching(
        from,
        selection.filter(),
        [&](const Job& job) { return refused_change(from, job, changes); },
        [&](const std::vector<std::string>& ids) {
            return store_.change_all(from, ids, changes, clock_.now());
        },
        watch
    );
}

/// All that match a filter, page by page, but for those that `refused` gives a result for.
template <typename Refused, typename Change>
BulkCounts JobAdmin::change_matching(
    JobPlace place,
    const persistence::JobFilter& filter,
    const Refused& refused,
    const Change& change,
    const BulkWatch& watch
) {
    const BulkSource source{
        .total = count_in(store_, place, filter),
        .page = kChangedAtOnce,
        .read = [&](const std::string& after,
                    std::size_t limit) { return list_in(store_, place, filter, after, limit); },
        .key_of = &Job::id,
    };
    const auto change_page = [&](const std::vector<Job>& jobs) {
        std::vector<ItemResult> items;
        std::vector<std::string> ids;
        for (const Job& job : jobs) {
            if (std::optional<ItemResult> item = refused(job)) {
                items.push_back(*std::move(item));
            } else {
                ids.push_back(job.id);
            }
        }
        if (ids.empty()) {
            return items;  // The store refuses what no job of the place can have.
        }
        const std::vector<JobAnswer> answers = change(ids);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const ItemAnswer answer = answers[i] == JobAnswer::done     ? ItemAnswer::done
                                      : answers[i] == JobAnswer::locked ? ItemAnswer::locked
                                                                        : ItemAnswer::unchanged;
            items.push_back({.id = std::move(ids[i]), .answer = answer});
        }
        return items;
    };
    return change_all(source, change_page, watch);
}

ItemResult JobAdmin::change_one(
    const std::string& id,
    std::optional<JobPlace> place,
    const ManyChanges& changes
) {
    for (int i = 0; i < kTriesToFind; ++i) {
        const auto found = store_.find(id);
        if (!found || found->place != place.value_or(found->place)) {
            break;
        }
        if (auto refused = refused_change(found->place, found->job, changes)) {
            return *std::move(refused);
        }
        const JobAnswer answer =
            store_.change_all(found->place, std::span(&id, 1), changes, clock_.now()).front();
        if (answer != JobAnswer::not_found) {
            ItemResult item = result_of(store_, id, answer);
            if (changes.due_date && found->place == JobPlace::timer && !found->job.repeat.empty()) {
                item.series = schema::series_key_of(found->job);
            }
            return item;
        }
    }
    return result_of(store_, id, JobAnswer::not_found);
}

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
    return change_matching(
        from,
        selection.filter(),
        [&](const Job& job) {
            return carries_series_on(job) ? std::optional(refused_for_series(job)) : std::nullopt;
        },
        [&](const std::vector<std::string>& ids) { return store_.remove(from, ids, clock_.now()); },
        watch
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
    for (int i = 0; i < kTriesToFind; ++i) {
        const auto found = store_.find(id);
        if (found && carries_series_on(found->job)) {
            return refused_for_series(found->job);
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

namespace {

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
    for (int i = 0; i < kTriesToFind; ++i) {
        const auto found = store_.find(id);
        if (!found || found->place == JobPlace::dead_letter) {
            break;
        }
        const bool waits = found->place != JobPlace::executable;
        if (waits && carries_series_on(found->job)) {
            return refused_for_series(found->job);
        }
        const JobAnswer answer =
            store_.cancel(found->place, std::span(&id, 1), message, clock_.now()).front();
        if (answer != JobAnswer::not_found) {
            return result_of(store_, id, answer);
        }
    }
    return result_of(store_, id, JobAnswer::not_found);
}

// How JobAdmin suspends and activates single jobs.

ItemResult JobAdmin::suspend_one(const std::string& id) {
    if (store_.is_of_engine(SuspensionScope::job, id)) {
        return refused_as_of_engine(id);
    }
    const auto before = store_.find(id);
    if (!before) {
        return {.id = id, .answer = ItemAnswer::not_found};
    }
    if (before->place == JobPlace::dead_letter) {
        return {.id = id, .answer = ItemAnswer::unchanged, .place = before->place};
    }
    const std::int64_t moved = store_.suspend(SuspensionScope::job, id, clock_.now());
    const auto after = store_.find(id);
    if (after && after->place != JobPlace::dead_letter) {
        return {.id = id, .moved = moved};
    }
    // It has just ended: nothing is to stay of the attempt.
    store_.activate(SuspensionScope::job, id, clock_.now());
    return {
        .id = id,
        .answer = after ? ItemAnswer::unchanged : ItemAnswer::not_found,
        .place = after ? std::optional(after->place) : std::nullopt};
}

ItemResult JobAdmin::activate_one(const std::string& id) {
    if (store_.is_of_engine(SuspensionScope::job, id)) {
        return refused_as_of_engine(id);
    }
    const std::int64_t moved = store_.activate(SuspensionScope::job, id, clock_.now());
    if (moved > 0) {
        return {.id = id, .moved = moved};
    }
    const auto placed = store_.find(id);
    if (!placed) {
        return {.id = id, .answer = ItemAnswer::not_found};
    }
    return {.id = id, .answer = ItemAnswer::unchanged, .place = placed->place};
}

BulkCounts JobAdmin::suspend_jobs(const std::vector<std::string>& ids, const BulkWatch& watch) {
    return change_each(
        ids, [this](const std::string& id) { return suspend_one(id); }, watch
    );
}

BulkCounts JobAdmin::activate_jobs(const std::vector<std::string>& ids, const BulkWatch& watch) {
    return change_each(
        ids, [this](const std::string& id) { return activate_one(id); }, watch
    );
}

}  // namespace jobstrand::deadletter
