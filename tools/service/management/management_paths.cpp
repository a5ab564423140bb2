#include "tools/service/management/management_paths.hpp"

#include "deadletter/admin/job_search.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/service/api/audited.hpp"
#include "tools/service/http/flowable_error.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/service/management/management_actions.hpp"
#include "tools/service/management/management_json.hpp"
#include "tools/service/management/management_query.hpp"
#include "tools/service/workers/flowable_job_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

constexpr std::string_view kManagementJson = "application/json";

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

/// `GET management/{kind}`: a part of the jobs, and how many there are in all.
[[nodiscard]] Response
list_jobs_of(const ApiParts& api, const JobKind& kind, const Request& request) {
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

/// `GET management/history-jobs`: there are none here, ever.
[[nodiscard]] Response list_no_jobs(const ApiParts& api, const Request& request) {
    const ManagementQuery query =
        management_query_of(request.query(), kJobKinds.front(), api.engine.clock().now());
    return list_response(query, {}, 0);
}

[[nodiscard]] Response show_no_job(const ApiParts& /*api*/, const Request& /*request*/) {
    return problem(404, "there are no history jobs here");
}

}  // namespace

std::vector<Route> management_routes(const ApiParts& api, WorkPool& pool) {
    const auto on = [&](Response (*handle)(const ApiParts&, const Request&)) {
        return pool.wrap([&api, handle](const Request& request) { return handle(api, request); });
    };
    const auto on_change = [&](const char* action,
                               Response (*handle)(const ApiParts&, const Request&)) {
        return pool.wrap(audited(api, action, [&api, handle](const Request& request) {
            return handle(api, request);
        }));
    };
    const auto on_kind = [&](const JobKind& kind,
                             Response (*handle)(const ApiParts&, const JobKind&, const Request&)) {
        return pool.wrap([&api, &kind, handle](const Request& request) {
            return handle(api, kind, request);
        });
    };
    using enum Role;
    const std::string base = std::string(kManagement) + '/';
    std::vector<Route> routes;
    for (const JobKind& kind : kJobKinds) {
        const std::string list = base + std::string(kind.path);
        const std::string job = list + "/{id}";
        routes.push_back({"GET", list, read, on_kind(kind, list_jobs_of)});
        routes.push_back({"GET", job, read, on_kind(kind, show_job_of)});
        routes.push_back(
            {"GET", job + "/exception-stacktrace", read, on_kind(kind, show_stack_trace)}
        );
        const auto remove = [&api, &kind](const Request& request) {
            return delete_job_of(api, kind, request);
        };
        routes.push_back({"DELETE", job, admin, pool.wrap(audited(api, "job rm", remove))});
    }
    routes.push_back({"POST", base + "jobs/{id}", admin, on_change("job run", act_on_job), {kManagementJson}}
    );
    routes.push_back(
        {"POST", base + "timer-jobs/{id}", admin, on_change("timer change", act_on_timer), {kManagementJson}}
    );
    routes.push_back(
        {"POST",
         base + "deadletter-jobs/{id}",
         admin,
         on_change("dead requeue", act_on_dead_letter),
         {kManagementJson}}
    );
    routes.push_back(
        {"POST",
         base + "deadletter-jobs",
         admin,
         on_change("dead requeue", act_on_dead_letters),
         {kManagementJson}}
    );
    routes.push_back({"GET", base + "history-jobs", read, on(list_no_jobs)});
    routes.push_back({"GET", base + "history-jobs/{id}", read, on(show_no_job)});
    return with_flowable_errors(honouring_scope(std::move(routes)));
}

}  // namespace jobstrand::service
