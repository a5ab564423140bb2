#include "tools/operations/job/job_showing.hpp"

#include "tools/operations/job/job_state.hpp"
#include "tools/parameters/typed_ids.hpp"
#include "tools/records/done_json.hpp"
#include "tools/records/history_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/news_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::cli {

namespace {

/// What happened to a job last is shown with it.
constexpr std::size_t kLinesOfPast = 10;

void add_past(Session& session, Record& record, const std::string& job) {
    const auto past = session.history().log({.job = job}, {}, kLinesOfPast);
    if (!past.items.empty()) {
        record.push_back(history_field(past.items));
    }
}

/// Of a job that is gone, where its last run is known: false otherwise.
[[nodiscard]] bool show_done(Session& session, const std::string& id) {
    const auto run = session.last_runs().last_of(id);
    if (!run) {
        return false;
    }
    session.tell(
        fmt::format("job {} is done: it succeeded, and this is its run", quoted_if_needed(id))
    );
    Record record = record_of(done_fields(), *run);
    add_past(session, record, id);
    write_record(session.streams().out, session.format(), record, session.style());
    return true;
}

[[nodiscard]] deadletter::JobDetails required(
    std::optional<deadletter::JobDetails> found,
    const std::string& id,
    std::optional<schema::JobPlace> place
) {
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

}  // namespace

ExitCode show_job(Session& session, const ShowOptions& options) {
    const std::string id = job_id(session, options.id);
    auto in_a_place = session.search().find(id);
    if (!in_a_place && !options.place && show_done(session, id)) {
        return ExitCode::done;
    }
    const deadletter::JobDetails found = required(std::move(in_a_place), id, options.place);
    Record record = record_of(found.placed);
    record.push_back(text_or_null_field("exceptionDetails", found.exception_details));
    std::ranges::move(state_of(session, found), std::back_inserter(record));
    if (auto news = news_field(session.engine().run_news_store(), found.placed)) {
        record.push_back(std::move(*news));
    }
    if (!options.place) {
        add_past(session, record, found.placed.job.id);
    }
    write_record(session.streams().out, session.format(), record, session.style());
    return ExitCode::done;
}

deadletter::JobDetails
find_job(Session& session, const std::string& typed, std::optional<schema::JobPlace> place) {
    const std::string id = job_id(session, typed);
    return required(session.search().find(id), id, place);
}

}  // namespace jobstrand::cli
