#include "tools/jobstrand/commands/job/job_showing.hpp"

#include "tools/jobstrand/json/job_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

ExitCode show_job(Session& session, const ShowOptions& options) {
    const schema::PlacedJob placed = find_job(session, options.id, options.place);
    Record record = record_of(placed);
    record.push_back(
        text_or_null_field("exceptionDetails", session.store().exception_details(placed.job))
    );
    write_record(session.streams().out, session.format(), record);
    return ExitCode::done;
}

schema::PlacedJob
find_job(Session& session, const std::string& id, std::optional<schema::JobPlace> place) {
    auto placed = session.store().find(id);
    if (!placed) {
        throw CliError(
            ExitCode::not_found, fmt::format("there is no job {}", quoted_if_needed(id))
        );
    }
    if (place && placed->place != *place) {
        throw CliError(
            ExitCode::not_found,
            fmt::format(
                "job {} stands in place {}, not in {}",
                quoted_if_needed(id),
                name_of(placed->place),
                name_of(*place)
            )
        );
    }
    return std::move(*placed);
}

}  // namespace jobstrand::cli
