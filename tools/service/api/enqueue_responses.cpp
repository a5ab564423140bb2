#include "tools/service/api/enqueue_responses.hpp"

#include "persistence/sql/db_error.hpp"
#include "tools/jobstrand/commands/job/job_enqueueing.hpp"
#include "tools/jobstrand/json/json_text.hpp"
#include "tools/jobstrand/output/record.hpp"
#include "tools/service/http/failure_response.hpp"
#include "tools/service/http/percent.hpp"
#include "tools/service/http/problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::service {

Response added(const executor::NewJob& job, const std::string& id) {
    cli::Record record{cli::text_field("id", id)};
    if (job.repeats()) {
        record.push_back(cli::text_field("series", job.job.series.empty() ? id : job.job.series));
    }
    return {
        .status = 201,
        .body = json_of(record) + '\n',
        .headers = {{"Location", "/api/v1/jobs/" + percent_encoded(id)}},
    };
}

Response added(const std::vector<std::string>& ids) {
    std::vector<std::string> texts;
    texts.reserve(ids.size());
    for (const std::string& id : ids) {
        texts.push_back(cli::json_string(id));
    }
    return {
        .status = 201,
        .body = fmt::format("{{\"added\":{},\"ids\":[{}]}}\n", ids.size(), fmt::join(texts, ",")),
    };
}

Response bad_job(const std::vector<std::string>& problems) {
    return problem(400, "no job was added: see errors", problems);
}

Response enqueue_failure(
    const ApiParts& parts,
    const std::exception& error,
    std::span<const executor::NewJob> jobs
) {
    const auto* const of_database = dynamic_cast<const persistence::DbError*>(&error);
    if (of_database == nullptr || of_database->kind() != persistence::DbErrorKind::duplicate_key) {
        return response_to(error, parts.log);
    }
    // Defended catch: the database may be gone by now, and the answer is known without it.
    try {
        for (const executor::NewJob& job : jobs) {
            if (const auto taken = parts.engine.enqueueing().find_taken(job)) {
                return problem(409, cli::in_words(*taken) + "; no job was added");
            }
        }
    } catch (const persistence::DbError&) {
        return response_to(error, parts.log);
    }
    return response_to(error, parts.log);
}

}  // namespace jobstrand::service
