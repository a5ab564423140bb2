#include "tools/operations/job/job_showing.hpp"

#include "tools/operations/job/job_state.hpp"
#include "tools/parameters/typed_ids.hpp"
#include "tools/records/history_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::cli {

namespace {

/// What happened to a job last is shown with it.
constexpr std::size_t kLinesOfPast = 10;

}  // namespace

ExitCode show_job(Session& session, const ShowOptions& options) {
    const deadletter::JobDetails found = find_job(session, options.id, options.place);
    Record record = record_of(found.placed);
    record.push_back(text_or_null_field("exceptionDetails", found.exception_details));
    std::ranges::move(state_of(session, found), std::back_inserter(record));
    if (!options.place) {
        const auto past = session.history().log({.job = found.placed.job.id}, {}, kLinesOfPast);
        if (!past.items.empty()) {
            record.push_back(history_field(past.items));
        }
    }
    write_record(session.streams().out, session.format(), record, session.style());
    return ExitCode::done;
}

deadletter::JobDetails
find_job(Session& session, const std::string& typed, std::optional<schema::JobPlace> place) {
    const std::string id = job_id(session, typed);
    auto found = session.search().find(id);
    if (!found) {
        throw CliError(
            ExitCode::not_found, fmt::format("there is no job {}", quoted_if_needed(id))
        );
    }
    if (place && found->placed.place != *place) {
        throw CliError(
            ExitCode::not_found,
            fmt::format(
                "job {} stands in place {}, not in {}",
                quoted_if_needed(id),
                name_of(found->placed.place),
                name_of(*place)
            )
        );
    }
    return std::move(*found);
}

}  // namespace jobstrand::cli
