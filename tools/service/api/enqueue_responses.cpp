#include "tools/service/api/enqueue_responses.hpp"

#include "executor/enqueue/bulk_enqueue.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "tools/operations/job/job_enqueueing.hpp"
#include "tools/output/record.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/percent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::service {

Response
added(const ApiParts& parts, const executor::NewJob& job, const schema::Enqueued& enqueued) {
    const std::string& id = enqueued.id;
    cli::Record record{cli::text_field("id", id)};
    if (job.repeats()) {
        record.push_back(cli::text_field("series", job.job.series.empty() ? id : job.job.series));
    }
    if (!job.job.unique_key.empty()) {
        record.push_back(cli::flag_field("isNew", enqueued.is_added));
        record.push_back(cli::text_or_null_field("replacedJob", enqueued.replaced));
    }
    if (parts.set != nullptr) {
        record.push_back(cli::text_field("engine", parts.engine_name));
    }
    return {
        .status = enqueued.is_added ? 201 : 200,
        .body = json_of(record) + '\n',
        .headers = {{"Location", "/api/v1/jobs/" + percent_encoded(id)}},
    };
}

Response added(const ApiParts& parts, const std::vector<schema::Enqueued>& enqueued) {
    std::vector<std::string> texts;
    texts.reserve(enqueued.size());
    executor::EnqueueCounts counts;
    for (const schema::Enqueued& one : enqueued) {
        texts.push_back(cli::json_string(one.id));
        counts.add(one);
    }
    const std::vector<std::string> engines(texts.size(), cli::json_string(parts.engine_name));
    return {
        .status = counts.added > 0 ? 201 : 200,
        .body = fmt::format(
            "{{\"added\":{},\"ids\":[{}],\"keptOut\":{},\"replaced\":{}{}}}\n",
            counts.added,
            fmt::join(texts, ","),
            counts.kept_out,
            counts.replaced,
            parts.set == nullptr ? "" : fmt::format(",\"engines\":[{}]", fmt::join(engines, ","))
        ),
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
    if (dynamic_cast<const persistence::KeyHeld*>(&error) != nullptr) {
        return problem(409, std::string(error.what()) + "; no job was added");
    }
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
