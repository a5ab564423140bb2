#include "deadletter/admin/job_admin.hpp"
#include "deadletter/bulk/bulk_change.hpp"
#include "deadletter/bulk/item_answer.hpp"
#include "deadletter/bulk/job_stretches.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <variant>

namespace jobstrand::deadletter {

namespace {

using persistence::JobAnswer;
using persistence::ManyChanges;
using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

/// A job may move while it is looked for: between the timers and the executable jobs.
constexpr int kTriesToFind = 3;

/// Jobs that one transaction changes. Whole rows are read, because they say what carries a series
/// on.
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

}  // namespace

Refusal JobAdmin::refusal_of(const PlacedJob& placed, const ManyChanges& changes) {
    if (changes.due_date && !waits_for_date(placed.place)) {
        return Refusal::waits_for_no_date;
    }
    if (placed.place == JobPlace::dead_letter &&
        std::ranges::any_of(changes.fields, is_about_retries)) {
        return Refusal::has_no_retries;
    }
    const bool is_given_up = std::ranges::any_of(changes.fields, is_no_retries);
    return is_given_up && placed.place != JobPlace::executable && carries_series_on(placed.job)
               ? Refusal::carries_series_on
               : Refusal::none;
}

std::optional<ItemResult>
JobAdmin::refused_change(const PlacedJob& placed, const ManyChanges& changes) {
    const Refusal refusal = refusal_of(placed, changes);
    if (refusal == Refusal::none) {
        return std::nullopt;
    }
    const bool is_of_series = refusal == Refusal::carries_series_on;
    return ItemResult{
        .id = placed.job.id,
        .answer = ItemAnswer::refused,
        .refusal = refusal,
        .place = placed.place,
        .series = is_of_series ? schema::series_key_of(placed.job) : std::string(),
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
    const BulkSource source{
        .total = count_in(store_, from, selection.filter()),
        .page = kChangedAtOnce,
        .read = [&](const std::string& after, std::size_t limit
                ) { return list_in(store_, from, selection.filter(), after, limit); },
        .key_of = &Job::id,
    };
    return change_all(
        source,
        [&](std::vector<Job> jobs) { return change_page(from, std::move(jobs), changes); },
        watch
    );
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
        if (auto refused = refused_change(*found, changes)) {
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

std::vector<ItemResult>
JobAdmin::change_page(JobPlace place, std::vector<Job> jobs, const ManyChanges& changes) {
    std::vector<ItemResult> items;
    std::vector<std::string> ids;
    for (Job& job : jobs) {
        const PlacedJob placed{.place = place, .job = std::move(job)};
        if (auto refused = refused_change(placed, changes)) {
            items.push_back(*std::move(refused));
        } else {
            ids.push_back(placed.job.id);
        }
    }
    if (ids.empty()) {
        return items;  // The store refuses what no job of the place can have.
    }
    const std::vector<JobAnswer> answers = store_.change_all(place, ids, changes, clock_.now());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const ItemAnswer answer = answers[i] == JobAnswer::done     ? ItemAnswer::done
                                  : answers[i] == JobAnswer::locked ? ItemAnswer::locked
                                                                    : ItemAnswer::skipped;
        items.push_back({.id = std::move(ids[i]), .answer = answer});
    }
    return items;
}

}  // namespace jobstrand::deadletter
