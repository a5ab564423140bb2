#include "tools/parameters/job_listing.hpp"

#include "tools/parameters/done_filter.hpp"
#include "tools/parameters/job_order.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/records/done_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
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

/// `possible` is what `--place` may be.
[[nodiscard]] JobPlace place_among(std::string_view possible, const std::string& word) {
    if (const auto place = schema::place_named(word)) {
        return *place;
    }
    throw CliError(
        ExitCode::wrong_usage,
        fmt::format("--place must be {}, not {}", possible, quoted_if_needed(word))
    );
}

[[nodiscard]] std::vector<JobPlace> places_of(const std::string& word) {
    if (word == kAllPlaces) {
        return {schema::kJobPlaces.begin(), schema::kJobPlaces.end()};
    }
    return {place_among("executable, timer, suspended, dead, external, all or done", word)};
}

[[nodiscard]] std::optional<deadletter::JobOrder> order_of(const JobListOptions& options) {
    if (!options.sort) {
        if (options.descending || options.skip) {
            throw CliError(ExitCode::wrong_usage, "--desc and --skip go with --sort");
        }
        return std::nullopt;
    }
    const auto by = sort_named(*options.sort);
    if (!by) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format("--sort must be {}, not {}", sort_names(), quoted_if_needed(*options.sort))
        );
    }
    if (options.place == kAllPlaces || (options.skip && !options.after.empty())) {
        throw CliError(
            ExitCode::wrong_usage, "--sort is for one place, and goes on with --after or --skip"
        );
    }
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t skipped = options.skip ? whole_number("--skip", *options.skip, 0, most) : 0;
    deadletter::JobOrder order{
        .by = *by,
        .is_descending = options.descending,
        .skipped = static_cast<std::size_t>(skipped),
    };
    if (!options.after.empty()) {
        order.behind = job_marked(options.after, *by);
        if (!order.behind) {
            throw CliError(
                ExitCode::wrong_usage,
                "with --sort, --after must be VALUE,ID as the list before has said it, not " +
                    quoted_if_needed(options.after)
            );
        }
    }
    return order;
}

[[nodiscard]] ExitCode list_done(Session& session, const JobListOptions& options) {
    const auto filter = done_filter_of(filter_of(session, options.filter));
    if (!filter || options.sort || options.descending || options.skip) {
        throw CliError(
            ExitCode::wrong_usage,
            "--place done goes with --type, --tenant, --instance, --after and --limit: the latest "
            "run comes first"
        );
    }
    write_page(
        session,
        session.last_runs().list(*filter, options.after, limit_of(session, options.limit)),
        columns_of(done_fields()),
        [](const persistence::EndedRun& run) { return record_of(done_fields(), run); },
        [](const persistence::EndedRun& run) { return run.id; }
    );
    return ExitCode::done;
}

}  // namespace

ExitCode list_jobs(Session& session, const JobListOptions& options) {
    if (options.place == kDonePlace) {
        return list_done(session, options);
    }
    const deadletter::JobQuery query{
        .places = places_of(options.place),
        .filter = filter_of(session, options.filter),
        .order = order_of(options),
        .after = options.sort ? "" : options.after,
        .limit = limit_of(session, options.limit),
        .patience = deadletter::kPatience,
    };
    const auto page = session.search().list(query);
    if (!query.order) {
        write_jobs(session, page);
        print_rest(session, page, &schema::Job::id);
        return ExitCode::done;
    }
    write_page(
        session,
        page,
        job_columns(),
        [](const PlacedJob& placed) { return record_of(placed); },
        [&](const PlacedJob& placed) {
            return quoted_if_needed(mark_behind(placed.job, query.order->by));
        }
    );
    print_rest(session, page, query.order->by);
    return ExitCode::done;
}

void print_rest(Session& session, const deadletter::JobPage& page, const schema::JobMember& by) {
    if (page.looked_until) {
        const std::string mark = mark_behind(*page.looked_until, by);
        session.note_more(mark);
        session.tell(fmt::format(
            "a part of the payloads was looked into: go on with --after {}", quoted_if_needed(mark)
        ));
    }
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
    return place_among("executable, timer, suspended, dead or external", word);
}

}  // namespace jobstrand::cli
