#include "tools/service/management/management_list.hpp"

#include "deadletter/desk/job_search.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/service/management/management_json.hpp"
#include "tools/service/management/management_query.hpp"
#include "tools/service/workers/flowable_job_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace jobstrand::service {

namespace {

[[nodiscard]] Response list_response(
    const ManagementQuery& query,
    const std::vector<std::string>& jobs,
    std::int64_t total
) {
    return {
        .status = 200,
        .body = fmt::format(
            R"({{"data":[{}],"total":{},"start":{},"sort":"{}","order":"{}","size":{}}})"
            "\n",
            fmt::join(jobs, ","),
            total,
            query.part.skipped,
            query.sort,
            query.part.is_descending ? "desc" : "asc",
            jobs.size()
        )};
}

}  // namespace

Response list_jobs_of(const ApiParts& api, const JobKind& kind, const Request& request) {
    const ManagementQuery query =
        management_query_of(request.query(), kind, api.engine.clock().now());
    NarrowedStore store(api.engine.store(), request.scope);
    const deadletter::JobSearch search(store);
    const std::string origin = origin_of(request.header("Host"));
    std::vector<std::string> jobs;
    for (const schema::Job& job : search.list_in_order(kind.place, query.filter, query.part)) {
        jobs.push_back(management_json(job, kind, origin));
    }
    const std::int64_t total =
        search.count({kind.place}, deadletter::JobSelection::matching(query.filter));
    return list_response(query, jobs, total);
}

Response list_no_jobs(const ApiParts& api, const Request& request) {
    const ManagementQuery query =
        management_query_of(request.query(), kJobKinds.front(), api.engine.clock().now());
    return list_response(query, {}, 0);
}

}  // namespace jobstrand::service
