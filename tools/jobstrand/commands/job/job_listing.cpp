#include "tools/jobstrand/commands/job/job_listing.hpp"

#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/json/job_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::cli {

namespace {

using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kAllPlaces = "all";

/// Jobs that are asked for in one statement.
constexpr std::size_t kPage = 1000;

const std::vector<TableColumn>& job_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "place", .heading = "PLACE"},
        {.field = "handlerType", .heading = "TYPE"},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true},
        {.field = "retries", .heading = "RETRIES"},
        {.field = "dueDate", .heading = "DUE"},
        {.field = "processInstanceId", .heading = "INSTANCE"},
        {.field = "lockOwner", .heading = "LOCKED BY"},
        {.field = "exceptionMessage", .heading = "LAST FAILURE", .width_max = 60},
    };
    return columns;
}

[[nodiscard]] std::vector<JobPlace> places_of(const std::string& word) {
    if (word == kAllPlaces) {
        return {schema::kJobPlaces.begin(), schema::kJobPlaces.end()};
    }
    return {place_of(word)};
}

void fetch_place(
    persistence::JobDesk& store,
    JobPlace place,
    const Listing& listing,
    bool (*is_wanted)(const PlacedJob&),
    std::vector<PlacedJob>& found
) {
    std::string after = listing.after;
    for (std::size_t left = listing.limit; left > 0;) {
        const std::size_t page = std::min(left, kPage);
        std::vector<schema::Job> jobs = store.list(place, listing.filter, after, page);
        const bool is_last = jobs.size() < page;
        for (schema::Job& job : jobs) {
            after = job.id;
            PlacedJob placed{.place = place, .job = std::move(job)};
            if (is_wanted == nullptr || is_wanted(placed)) {
                found.push_back(std::move(placed));
                --left;
            }
        }
        if (is_last) {
            return;
        }
    }
}

}  // namespace

ExitCode list_jobs(Session& session, const ListOptions& options) {
    const Listing listing{
        .places = places_of(options.place),
        .filter = filter_of(options.filter),
        .after = options.after,
        .limit = limit_of(options.limit),
    };
    // One more than is shown tells whether there is more.
    Listing one_more = listing;
    ++one_more.limit;
    std::vector<PlacedJob> jobs = fetch(session.store(), one_more);
    const bool is_cut = jobs.size() > listing.limit;
    if (is_cut) {
        jobs.resize(listing.limit);
    }
    write_jobs(session, jobs);
    if (is_cut) {
        session.tell(fmt::format("there are more: go on with --after {}", jobs.back().job.id));
    }
    return ExitCode::done;
}

std::vector<PlacedJob>
fetch(persistence::JobDesk& store, const Listing& listing, bool (*is_wanted)(const PlacedJob&)) {
    std::vector<PlacedJob> found;
    for (const JobPlace place : listing.places) {
        fetch_place(store, place, listing, is_wanted, found);
    }
    std::sort(found.begin(), found.end(), [](const PlacedJob& a, const PlacedJob& b) {
        return a.job.id < b.job.id;
    });
    found.resize(std::min(found.size(), listing.limit));
    return found;
}

void write_jobs(Session& session, const std::vector<PlacedJob>& jobs) {
    RecordWriter writer(session.streams().out, session.format(), job_columns());
    for (const PlacedJob& placed : jobs) {
        writer.add(record_of(placed));
    }
    writer.finish();
}

JobPlace place_of(const std::string& word) {
    if (const auto place = schema::place_named(word)) {
        return *place;
    }
    throw CliError(
        ExitCode::wrong_usage,
        fmt::format(
            "--place must be executable, timer, suspended, dead, external or all, not {}",
            quoted_if_needed(word)
        )
    );
}

}  // namespace jobstrand::cli
