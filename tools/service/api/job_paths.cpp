#include "tools/service/api/job_paths.hpp"

#include "deadletter/admin/job_search.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/access/seen_runs.hpp"
#include "tools/output/record.hpp"
#include "tools/records/done_json.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/news_json.hpp"
#include "tools/service/api/enqueue_once.hpp"
#include "tools/service/api/enqueue_responses.hpp"
#include "tools/service/api/job_reader.hpp"
#include "tools/service/http/problem.hpp"

#include <exception>
#include <utility>

namespace jobstrand::service {

namespace {

[[nodiscard]] Response told(const ApiParts& api, cli::Record record) {
    if (api.set != nullptr) {
        record.push_back(cli::text_field("engine", api.engine_name));
    }
    return {.status = 200, .body = json_of(record) + '\n'};
}

[[nodiscard]] Response
enqueue_batch(const ApiParts& api, EnqueueCounts& counts, const Request& request) {
    JobReader reader(api);
    const JobBatch batch = read_batch(request, reader);
    if (!batch.problems.empty()) {
        return bad_job(batch.problems);
    }
    return enqueue_all(api, counts, batch.jobs);
}

}  // namespace

Response
enqueue_all(const ApiParts& api, EnqueueCounts& counts, const std::vector<executor::NewJob>& jobs) {
    // Defended catch: an id that is taken is an answer to the caller, who is told which.
    try {
        const auto enqueued = api.engine.enqueueing().enqueue_all(jobs);
        counts.add(enqueued);
        return added(api, enqueued);
    } catch (const std::exception& error) {
        counts.add_failure(error);
        return enqueue_failure(api, error, jobs);
    }
}

Handler
enqueue_jobs(const ApiParts& api, WorkPool& pool, EnqueueGroup& singles, EnqueueCounts& counts) {
    Handler many = pool.wrap([&api, &counts](const Request& request) {
        return enqueue_batch(api, counts, request);
    });
    Handler once = pool.wrap(enqueue_once(api, counts));
    return
        [&singles, many = std::move(many), once = std::move(once)](Request request, Answer answer) {
            if (request.count_headers(kIdempotencyKey) > 0) {
                once(std::move(request), std::move(answer));
            } else if (is_one_job(request)) {
                singles.add(std::move(request), std::move(answer));
            } else {
                many(std::move(request), std::move(answer));
            }
        };
}

WorkPool::BlockingHandler show_job(const ApiParts& api) {
    return [&api](const Request& request) -> Response {
        const std::string& id = request.parameters.front();
        NarrowedStore store(api.engine.store(), request.scope);
        const auto found = deadletter::JobSearch(store).find(id);
        if (!found) {
            if (const auto run = SeenRuns(api.engine.run_store(), request.scope).last_of(id)) {
                return told(api, cli::record_of(cli::done_fields(), *run));
            }
            return problem(404, "there is no such job: it may have run already");
        }
        cli::Record record = cli::record_of(found->placed);
        record.push_back(cli::text_or_null_field("exceptionDetails", found->exception_details));
        if (auto news = cli::news_field(api.engine.run_news_store(), found->placed)) {
            record.push_back(std::move(*news));
        }
        return told(api, std::move(record));
    };
}

}  // namespace jobstrand::service
