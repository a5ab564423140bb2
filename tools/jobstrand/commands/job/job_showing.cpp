#include "tools/jobstrand/commands/job/job_showing.hpp"

#include "tools/jobstrand/json/job_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <utility>

namespace jobstrand::cli {

namespace {

/// What the job waits for in vain: a node that has what it names; empty: nothing of that kind.
[[nodiscard]] std::string nobody_serves(Session& session, const schema::PlacedJob& placed) {
    const schema::Job& job = placed.job;
    const bool is_to_run =
        schema::can_be_suspended(placed.place) && placed.place != schema::JobPlace::external_worker;
    if (!is_to_run || !job.lock_owner.empty()) {
        return {};
    }
    const std::string needs =
        job.needs.empty() ? session.engine().handlers().need_of(job) : job.needs;
    const schema::TimePoint now = session.database_now();
    if (!session.served().is_served({.handler_type = job.handler_type, .needs = {}}, now)) {
        return "handler type " + job.handler_type;
    }
    const bool is_served =
        session.served().is_served({.handler_type = job.handler_type, .needs = needs}, now);
    return is_served ? std::string() : needs;
}

}  // namespace

ExitCode show_job(Session& session, const ShowOptions& options) {
    const deadletter::JobDetails found = find_job(session, options.id, options.place);
    Record record = record_of(found.placed);
    record.push_back(text_or_null_field("exceptionDetails", found.exception_details));
    record.push_back(text_or_null_field("nobodyServes", nobody_serves(session, found.placed)));
    write_record(session.streams().out, session.format(), record);
    return ExitCode::done;
}

deadletter::JobDetails
find_job(Session& session, const std::string& id, std::optional<schema::JobPlace> place) {
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
