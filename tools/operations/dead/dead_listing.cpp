#include "tools/operations/dead/dead_listing.hpp"

#include "tools/parameters/listing.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/printable.hpp"
#include "tools/text/relative_time.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::cli {

namespace {

using schema::PlacedJob;

/// All of them stand in one place, without retries and locks.
const std::vector<TableColumn>& dead_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64, .is_job_id = true},
        {.field = "handlerType", .heading = "TYPE", .rank = 1},
        {.field = "failedTime", .heading = "DIED", .rank = 3},
        {.field = "age", .heading = "AGE", .is_optional = true, .rank = 3},
        {.field = "attempts", .heading = "ATTEMPTS", .rank = 4},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true, .rank = 6},
        {.field = "processInstanceId", .heading = "INSTANCE", .rank = 7},
        {.field = "exceptionMessage",
         .heading = "LAST FAILURE",
         .width_max = 60,
         .rank = 2,
         .width_least = 16,
         .tone = Tone::bad},
    };
    return columns;
}

/// The age is for people: what is read by programs says when, and can be read again as it is. On a
/// terminal the time of death is told from now, which is the age.
[[nodiscard]] bool shows_age(const Session& session) {
    return session.format() == OutputFormat::table && !session.style().columns;
}

[[nodiscard]] Record record_of_dead(const PlacedJob& placed, bool has_age, schema::TimePoint now) {
    Record record = record_of(placed);
    if (has_age) {
        const auto& failed = placed.job.failed_time;
        record.push_back(text_or_null_field("age", failed ? age_text(now - *failed) : ""));
    }
    return record;
}

[[nodiscard]] schema::Page<PlacedJob> newest(Session& session, const DeadListOptions& options) {
    auto page = session.dead_letters().newest(
        filter_of(session, options.filter), options.after, limit_of(session, options.limit)
    );
    if (!page) {
        throw CliError(
            ExitCode::not_found,
            fmt::format(
                "{} is no dead letter any more, so there is no going on behind it: begin anew, or "
                "with --failed-before",
                quoted_if_needed(options.after)
            )
        );
    }
    return std::move(*page);
}

}  // namespace

ExitCode list_dead(Session& session, const DeadListOptions& options) {
    const deadletter::JobPage page = options.newest ? deadletter::JobPage{newest(session, options)}
                                                    : session.dead_letters().list(
                                                          filter_of(session, options.filter),
                                                          options.after,
                                                          limit_of(session, options.limit)
                                                      );
    const schema::TimePoint now = session.database_now();
    const bool has_age = shows_age(session);
    write_page(
        session,
        page,
        dead_columns(),
        [&](const PlacedJob& placed) { return record_of_dead(placed, has_age, now); },
        [](const PlacedJob& placed) { return placed.job.id; }
    );
    print_rest(session, page, &schema::Job::id);
    return ExitCode::done;
}

}  // namespace jobstrand::cli
