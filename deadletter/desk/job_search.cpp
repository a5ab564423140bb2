#include "deadletter/desk/job_search.hpp"

#include "schema/ensure.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace jobstrand::deadletter {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

/// Jobs that are asked for in one statement.
constexpr std::size_t kJobsAskedFor = 1000;

/// Appends up to `most` jobs of one place.
void append_place(
    persistence::OperatorStore& store,
    JobPlace place,
    const JobQuery& query,
    std::size_t most,
    std::vector<PlacedJob>& found
) {
    std::size_t left = most;
    const auto read = [&](const std::string& after, std::size_t limit) {
        return store.list(place, query.filter, after, limit);
    };
    const auto keep = [&](std::vector<Job> jobs) {
        for (Job& job : jobs) {
            PlacedJob placed{.place = place, .job = std::move(job)};
            if (left > 0 && (query.is_wanted == nullptr || query.is_wanted(placed))) {
                found.push_back(std::move(placed));
                --left;
            }
        }
        return left > 0;
    };
    schema::for_each_page(
        {.after = query.after, .size = std::min(most, kJobsAskedFor)}, read, &Job::id, keep
    );
}

std::vector<PlacedJob>
in_order(persistence::OperatorStore& store, const JobQuery& query, std::size_t most) {
    const JobPlace place = query.places.front();
    const persistence::SortedPart part{
        .by = query.order->by,
        .is_descending = query.order->is_descending,
        .skipped = query.order->skipped,
        .limit = most,
        .behind = query.order->behind,
    };
    std::vector<PlacedJob> found;
    for (Job& job : store.list_in_order(place, query.filter, part)) {
        found.push_back({.place = place, .job = std::move(job)});
    }
    return found;
}

}  // namespace

std::optional<JobDetails> JobSearch::find(std::string_view id) const {
    auto placed = store_.find(id);
    if (!placed) {
        return std::nullopt;
    }
    std::string details;
    if (!placed->job.exception_stack_id.empty()) {
        details = store_.exception_details(placed->job);
    }
    JobDetails found{.placed = std::move(*placed), .exception_details = std::move(details)};
    if (found.placed.place == JobPlace::suspended) {
        found.suspended_by = store_.suspensions_of(found.placed.job);
    }
    found.awaits = store_.awaited_group(found.placed.job);
    return found;
}

schema::Page<PlacedJob> JobSearch::list(const JobQuery& query) const {
    if (query.order) {
        JOBSTRAND_ENSURE(query.places.size() == 1);
        return schema::first_page(query.limit, [&](std::size_t most) {
            return in_order(store_, query, most);
        });
    }
    return schema::first_page(query.limit, [&](std::size_t most) { return first(query, most); });
}

std::vector<persistence::Suspension> JobSearch::why_suspended(std::string_view id) const {
    const auto placed = store_.find(id);
    const bool is_suspended = placed && placed->place == JobPlace::suspended;
    return is_suspended ? store_.suspensions_of(placed->job)
                        : std::vector<persistence::Suspension>{};
}

schema::Page<persistence::ScopeSummary> JobSearch::scopes(const ScopeQuery& query) const {
    return schema::first_page(query.limit, [&](std::size_t most) {
        return query.only_suspended ? store_.suspended_scopes(query.scope, query.after, most)
                                    : store_.scopes(query.scope, query.after, most);
    });
}

std::int64_t JobSearch::count(const std::vector<JobPlace>& places, const JobSelection& selection)
    const {
    std::int64_t total = 0;
    if (!selection.is_nothing()) {
        for (const JobPlace place : places) {
            total += store_.count(place, selection.filter());
        }
    }
    return total;
}

Preview JobSearch::preview(
    const std::vector<JobPlace>& places,
    const JobSelection& selection,
    std::size_t most
) const {
    if (selection.is_nothing()) {
        return {};
    }
    return {
        .count = count(places, selection),
        .first = first({.places = places, .filter = selection.filter()}, most),
    };
}

std::vector<PlacedTypeCount> JobSearch::count_types(
    const std::vector<persistence::TypeRuns>& last_minute
) const {
    std::map<std::string, std::vector<persistence::OwnerCount>, std::less<>> owners;
    for (persistence::OwnerCount& owner : store_.count_lock_owners()) {
        owners[owner.handler_type].push_back(std::move(owner));
    }
    std::map<std::string, persistence::TypeRuns, std::less<>> runs;
    for (const persistence::TypeRuns& type : last_minute) {
        runs.emplace(type.handler_type, type);
    }
    std::vector<PlacedTypeCount> counts;
    for (const JobPlace place : schema::kJobPlaces) {
        for (persistence::TypeCount& count : store_.count_types(place, {})) {
            PlacedTypeCount line{.place = place, .count = std::move(count)};
            if (place == JobPlace::executable) {
                line.owners = std::move(owners[line.count.handler_type]);
                const auto ended = runs.extract(line.count.handler_type);
                line.runs = ended ? ended.mapped() : persistence::TypeRuns();
            }
            counts.push_back(std::move(line));
        }
    }
    for (const auto& [type, count] : runs) {
        counts.push_back(
            {.place = JobPlace::executable, .count = {.handler_type = type}, .runs = count}
        );
    }
    std::ranges::stable_sort(counts, {}, [](const PlacedTypeCount& one) {
        return std::pair(std::string_view(one.count.handler_type), one.place);
    });
    return counts;
}

std::vector<PlaceCount> JobSearch::count_places() const {
    persistence::JobFilter locked;
    locked.locked = true;
    std::vector<PlaceCount> counts;
    for (const JobPlace place : schema::kJobPlaces) {
        PlaceCount count{.place = place, .jobs = store_.count(place, {})};
        if (has_lock(place)) {
            count.locked = store_.count(place, locked);
        }
        counts.push_back(count);
    }
    return counts;
}

std::vector<PlacedJob> JobSearch::first(const JobQuery& query, std::size_t most) const {
    std::vector<PlacedJob> found;
    for (const JobPlace place : query.places) {
        append_place(store_, place, query, most, found);
    }
    std::ranges::sort(found, {}, [](const PlacedJob& placed) -> const std::string& {
        return placed.job.id;
    });
    found.resize(std::min(found.size(), most));
    return found;
}

}  // namespace jobstrand::deadletter
