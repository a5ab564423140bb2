#include "deadletter/job_search.hpp"

#include "schema/ensure.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

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

/// nullptr: no index has jobs of the place in this order.
persistence::TimeMember indexed_time(JobPlace place, const schema::JobMember& by) {
    constexpr persistence::TimeMember kDue = &Job::due_date;
    constexpr persistence::TimeMember kFailed = &Job::failed_time;
    const auto* const time = std::get_if<persistence::TimeMember>(&by);
    const bool is_indexed =
        time != nullptr && ((place == JobPlace::timer && *time == kDue) ||
                            (place == JobPlace::dead_letter && *time == kFailed));
    return is_indexed ? *time : nullptr;
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

/// When a list that looks into payloads has to end.
class PatienceEnd final {
public:
    explicit PatienceEnd(const std::optional<std::chrono::milliseconds>& patience) {
        if (patience) {
            end_ = std::chrono::steady_clock::now() + *patience;
        }
    }

    [[nodiscard]] bool has_come() const {
        return end_ && std::chrono::steady_clock::now() >= *end_;
    }

private:
    std::optional<std::chrono::steady_clock::time_point> end_;
};

void cut_page(JobPage& page, std::size_t limit) {
    page.is_partial = page.looked_until.has_value();
    if (page.items.size() > limit) {
        page.items.resize(limit);
        page.has_more = true;
        page.is_partial = false;
        page.looked_until.reset();
    }
}

/// A list in the order of ids of all places, each of which was looked at up to some id.
class PayloadScan final {
public:
    PayloadScan(persistence::OperatorStore& store, const JobQuery& query)
        : store_(store), query_(query) {
        for (const JobPlace place : query.places) {
            places_.push_back(
                {place, JobStretches(store, place, query.filter, query.after, query.looked_into)}
            );
        }
    }

    [[nodiscard]] JobPage read() {
        const PatienceEnd end(query_.patience);
        // Each place once at least, so that a list always goes on.
        for (std::size_t steps = 0; Place* const place = least(); ++steps) {
            if (known(*place) > query_.limit || (steps >= places_.size() && end.has_come())) {
                break;
            }
            step(*place);
        }
        JobPage page;
        page.items = std::move(found_);
        std::ranges::sort(page.items, {}, id_of);
        if (const Place* const place = least()) {
            const std::string until = place->stretches.last();
            std::erase_if(page.items, [&](const PlacedJob& one) { return one.job.id > until; });
            page.looked_until = Job{.id = until};
        }
        cut_page(page, query_.limit);
        return page;
    }

private:
    struct Place {
        JobPlace place;
        JobStretches stretches;
    };

    [[nodiscard]] static const std::string& id_of(const PlacedJob& placed) { return placed.job.id; }

    /// The place that was looked at the least; nullptr: all of them have ended.
    [[nodiscard]] Place* least() {
        Place* found = nullptr;
        for (Place& place : places_) {
            if (!place.stretches.has_ended() &&
                (found == nullptr || place.stretches.last() < found->stretches.last())) {
                found = &place;
            }
        }
        return found;
    }

    /// Jobs that come before what was not looked at.
    [[nodiscard]] std::size_t known(const Place& place) const {
        return static_cast<std::size_t>(std::ranges::count_if(found_, [&](const PlacedJob& one) {
            return one.job.id <= place.stretches.last();
        }));
    }

    void step(Place& place) {
        if (!place.stretches.next()) {
            return;
        }
        for (Job& job : store_.list(
                 place.place, place.stretches.filter(), place.stretches.after(), query_.looked_into
             )) {
            PlacedJob placed{.place = place.place, .job = std::move(job)};
            if (query_.is_wanted == nullptr || query_.is_wanted(placed)) {
                found_.push_back(std::move(placed));
            }
        }
    }

    persistence::OperatorStore& store_;
    const JobQuery& query_;
    std::vector<Place> places_;
    std::vector<PlacedJob> found_;
};

/// In another order: so many jobs at a time, of which the store then says which ones are meant.
JobPage scan_in_order(persistence::OperatorStore& store, const JobQuery& query) {
    const PatienceEnd end(query.patience);
    const JobPlace place = query.places.front();
    persistence::JobFilter any = query.filter;
    any.where.clear();
    persistence::SortedPart part{
        .by = query.order->by,
        .is_descending = query.order->is_descending,
        .limit = query.looked_into,
        .behind = query.order->behind,
    };
    std::size_t skipped = query.order->skipped;
    JobPage page;
    do {
        std::vector<Job> jobs = store.list_in_order(place, any, part);
        if (jobs.empty()) {
            page.looked_until.reset();
            break;
        }
        page.looked_until = jobs.back();
        part.behind = jobs.back();
        const bool is_last = jobs.size() < part.limit;
        persistence::JobFilter these = query.filter;
        std::ranges::transform(jobs, std::back_inserter(these.ids), &Job::id);
        const std::vector<std::string> ids = store.list_ids(place, these, "", jobs.size());
        const std::set<std::string_view> meant(ids.begin(), ids.end());
        for (Job& job : jobs) {
            if (!meant.contains(job.id)) {
                continue;
            }
            if (skipped > 0) {
                --skipped;
            } else {
                page.items.push_back({.place = place, .job = std::move(job)});
            }
        }
        if (is_last) {
            page.looked_until.reset();
            break;
        }
    } while (page.items.size() <= query.limit && !end.has_come());
    cut_page(page, query.limit);
    return page;
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

JobPage JobSearch::list(const JobQuery& query) const {
    JOBSTRAND_ENSURE(!query.order || query.places.size() == 1);
    if (query.filter.asks_payload() && query.filter.ids.empty()) {
        return query.order ? scan_in_order(store_, query) : PayloadScan(store_, query).read();
    }
    return {schema::first_page(query.limit, [&](std::size_t most) {
        return query.order ? in_order(store_, query, most) : first(query, most);
    })};
}

/// The id of the last of the rows behind `after`; empty: there are no more than these.
std::string JobSearch::end_of_rows(
    JobPlace place,
    const std::string& after,
    std::optional<std::size_t> most
) const {
    if (!most) {
        return {};
    }
    persistence::SortedPart part{.limit = *most};
    if (!after.empty()) {
        part.behind.emplace().id = after;
    }
    const auto mark = store_.mark_ahead(place, part);
    return mark ? mark->id : std::string();
}

JobPage JobSearch::list_soon(JobQuery query) const {
    if (query.order) {
        return list_soon_in_order(std::move(query));
    }
    for (const JobPlace place : query.places) {
        std::string end = end_of_rows(place, query.after, query.rows);
        if (!end.empty() && (query.filter.up_to.empty() || end < query.filter.up_to)) {
            query.filter.up_to = std::move(end);
        }
    }
    JobPage soon = list(query);
    soon.is_partial = !soon.has_more && !query.filter.up_to.empty();
    if (soon.is_partial) {
        soon.looked_until.emplace().id = query.filter.up_to;
    }
    return soon;
}

JobPage JobSearch::list_soon_in_order(JobQuery query) const {
    const JobOrder& order = *query.order;
    const JobPlace place = query.places.front();
    const persistence::TimeMember time = indexed_time(place, order.by);
    if (time == nullptr) {
        query.filter.up_to = end_of_rows(place, "", query.rows);
        JobPage page = list(query);
        page.is_partial = !query.filter.up_to.empty();
        return page;
    }
    const bool is_among_undated = order.behind && !((*order.behind).*time);
    const auto mark = is_among_undated ? std::nullopt
                                       : store_.mark_ahead(
                                             place,
                                             {.by = order.by,
                                              .is_descending = order.is_descending,
                                              .skipped = order.skipped,
                                              .limit = query.rows.value(),
                                              .behind = order.behind}
                                         );
    if (!mark || !((*mark).*time)) {
        return list(query);
    }
    using Match = persistence::FieldCondition::Match;
    auto up_to_mark = persistence::is_before(time, ((*mark).*time).value());
    up_to_mark.match = order.is_descending ? Match::not_below : Match::not_above;
    query.filter.fields.push_back(std::move(up_to_mark));
    JobPage soon = list(query);
    // Of those that have the time of the mark, some stand behind it.
    const auto is_behind = [&](const PlacedJob& placed) {
        return placed.job.*time == (*mark).*time &&
               (order.is_descending ? placed.job.id < mark->id : placed.job.id > mark->id);
    };
    const bool goes_beyond = std::erase_if(soon.items, is_behind) > 0;
    soon.has_more = soon.has_more && !goes_beyond;
    soon.is_partial = !soon.has_more;
    if (soon.is_partial) {
        soon.looked_until = mark;
    }
    return soon;
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
            total += count_in(store_, place, selection.filter());
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
        .first = list({.places = places, .filter = selection.filter(), .limit = most}).items,
    };
}

std::vector<PlacedTypeCount> JobSearch::count_types(
    const std::vector<persistence::TypeRuns>& last_minute,
    std::optional<std::size_t> most
) const {
    std::map<JobPlace, std::string> ends;
    for (const JobPlace place : schema::kJobPlaces) {
        ends.emplace(place, end_of_rows(place, "", most));
    }
    std::map<std::string, std::vector<persistence::OwnerCount>, std::less<>> owners;
    for (persistence::OwnerCount& owner : store_.count_lock_owners(ends.at(JobPlace::executable))) {
        owners[owner.handler_type].push_back(std::move(owner));
    }
    std::map<std::string, persistence::TypeRuns, std::less<>> runs;
    for (const persistence::TypeRuns& type : last_minute) {
        runs.emplace(type.handler_type, type);
    }
    std::vector<PlacedTypeCount> counts;
    for (const JobPlace place : schema::kJobPlaces) {
        const bool is_partial = !ends.at(place).empty();
        for (persistence::TypeCount& count : store_.count_types(place, {.up_to = ends.at(place)})) {
            PlacedTypeCount line{.place = place, .count = std::move(count)};
            line.looked_at = is_partial ? most : std::nullopt;
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

std::vector<PlaceCount> JobSearch::count_places(std::optional<std::size_t> most, Shown shown)
    const {
    std::vector<PlaceCount> counts;
    for (const JobPlace place : schema::kJobPlaces) {
        persistence::JobFilter filter{.up_to = end_of_rows(place, "", most)};
        PlaceCount count{.place = place};
        count.looked_at = filter.up_to.empty() ? std::nullopt : most;
        count.jobs = count.looked_at && shown == Shown::every ? static_cast<std::int64_t>(*most)
                                                              : store_.count(place, filter);
        if (schema::has_lock(place)) {
            filter.locked = true;
            count.locked = store_.count(place, filter);
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
