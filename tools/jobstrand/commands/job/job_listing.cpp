#include "tools/jobstrand/commands/job/job_listing.hpp"

#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/json/job_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <vector>

namespace jobstrand::cli {

namespace {

using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kAllPlaces = "all";

const std::vector<TableColumn>& job_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64, .is_job_id = true},
        {.field = "place", .heading = "PLACE", .rank = 3},
        {.field = "handlerType", .heading = "TYPE", .rank = 1},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true, .rank = 5},
        {.field = "retries", .heading = "RETRIES", .rank = 7},
        {.field = "dueDate", .heading = "DUE", .rank = 4},
        {.field = "processInstanceId", .heading = "INSTANCE", .rank = 6},
        {.field = "lockOwner", .heading = "LOCKED BY", .rank = 8},
        {.field = "exceptionMessage",
         .heading = "LAST FAILURE",
         .width_max = 60,
         .rank = 2,
         .width_least = 12,
         .tone = Tone::bad},
    };
    return columns;
}

[[nodiscard]] std::vector<JobPlace> places_of(const std::string& word) {
    if (word == kAllPlaces) {
        return {schema::kJobPlaces.begin(), schema::kJobPlaces.end()};
    }
    return {place_of(word)};
}

}  // namespace

ExitCode list_jobs(Session& session, const ListOptions& options) {
    const deadletter::JobQuery query{
        .places = places_of(options.place),
        .filter = filter_of(session, options.filter),
        .after = options.after,
        .limit = limit_of(session, options.limit),
    };
    write_jobs(session, session.search().list(query));
    return ExitCode::done;
}

void write_jobs(Session& session, const schema::Page<PlacedJob>& jobs) {
    write_page(
        session,
        jobs,
        job_columns(),
        [](const PlacedJob& placed) { return record_of(placed); },
        [](const PlacedJob& placed) { return placed.job.id; }
    );
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
