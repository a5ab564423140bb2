#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/job_paths.hpp"
#include "tools/service/api/watch_paths.hpp"
#include "tools/service/http/admission.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/http/server_limits.hpp"
#include "tools/service/http/work_pool.hpp"
#include "tools/service/http_service.hpp"
#include "tools/service/metrics.hpp"
#include "tools/service/worker_hand_over.hpp"
#include "tools/surface/verb_call.hpp"

#include <string>
#include <vector>

namespace jobstrand::service {

/// Threads for what blocks, half as many for who reads, and requests that may wait for them. The
/// databases' pools lend a few connections each.
inline constexpr std::size_t kThreads = 4;
inline constexpr std::size_t kWaitingRequests = 1024;

/// The same for verbs, each of which may take long, so that the others go on meanwhile.
inline constexpr std::size_t kVerbThreads = 2;
inline constexpr std::size_t kWaitingVerbs = 64;

/// What the handlers run on and work with. It outlives the routes, and the gate outlives it.
struct RouteParts {
    ApiParts api;
    Gate& gate;
    bool runs_jobs = false;  ///< The executor is on.
    Readiness readiness{api, runs_jobs};
    HttpCounts http = {};
    WorkPool pool{kThreads, kWaitingRequests, api.log};
    WorkPool verbs{kVerbThreads, kWaitingVerbs, api.log};
    EnqueueGroup singles{api};
    WorkWaits waits{api.engine.workers()};
    EngineChanges changes{api};
    ChangeFeed feed{changes, api.log};
    SharedAnswers shared{};
    Backlog backlog{api.engine};
};

/// Every path of the service: the table that docs/http.md and the OpenAPI description tell.
[[nodiscard]] std::vector<Route> all_routes(RouteParts& parts);

/// The OpenAPI 3.1 description of all paths: what open_api.json says, and the table of operations.
[[nodiscard]] std::string described_api();

/// The same in the words of OpenAPI 3.0, for tools that know no newer one.
[[nodiscard]] std::string described_api_3_0();

/// A handler that changes things, with an entry in the audit: there before it begins, and told how
/// it ended. `action` is what the command line calls it: `dead requeue`. Why, the caller may say in
/// the header `Jobstrand-Reason`. `api` must outlive it.
[[nodiscard]] WorkPool::BlockingHandler
audited(const ApiParts& api, std::string action, WorkPool::BlockingHandler handler);

/// `/`, which is a page for browsers, and its files. Anybody may have them: they show nothing
/// before the API's paths have let their reader in.
[[nodiscard]] std::vector<Route> page_routes();

/// `/api/v1/session`: how a browser signs in and out, and who it is. Both outlive them.
[[nodiscard]] std::vector<Route> session_routes(Gate& gate, const ApiParts& api);

/// The table of operations as paths, each for who may: what a path, a query or a JSON body gives is
/// what the command line takes. What changes something is audited, with the reason of the header
/// `Jobstrand-Reason`; a list that goes on says where in `Link`. As verb_routes().
/// Whoever looks may share what others see: see SharedAnswers.
[[nodiscard]] std::vector<Route>
operation_routes(const ApiParts& api, WorkPool& pool, SharedAnswers& shared);

/// The output of a verb, with its exit code in `Jobstrand-Exit-Code`; a problem when nothing was
/// done: 400 for wrong usage, 404 not found, 409 refused, else 500.
[[nodiscard]] Response response_to(cli::VerbAnswer answer);

/// The verbs of `jobstrand` that their declarations allow over the network, each for who may. They
/// may take long, so the pool should be one of their own.
[[nodiscard]] std::vector<Route> verb_routes(const ApiParts& api, WorkPool& pool);

/// Flowable's management REST (`/process-api/management/...`) with its bodies and status codes, for
/// pages and scripts that use it. Where Flowable takes more than was meant, an empty list of ids as
/// all dead letters, this refuses.
[[nodiscard]] std::vector<Route> management_routes(const ApiParts& api, WorkPool& pool);

/// Our own paths for external workers (`/api/v1/external-jobs/...`): several topics at once, and
/// thousands of jobs in one request, each page of which is one transaction.
[[nodiscard]] std::vector<Route> work_routes(const ApiParts& api, WorkPool& pool, WorkWaits& waits);

/// Where apps that `http` jobs have called tell later how these have ended.
[[nodiscard]] std::vector<Route> call_back_routes(const ApiParts& api, WorkPool& pool);

/// As much of Camunda's external task REST (`/engine-rest/external-task/...`) as its workers use,
/// with its bodies and status codes: 204 done, 400 a request that cannot be meant so or a worker
/// that does not hold the job, 404 no such job. Times are milliseconds there. What restricts a
/// fetch and is not known here is refused, and never left out.
[[nodiscard]] std::vector<Route>
camunda_worker_routes(const ApiParts& api, WorkPool& pool, WorkWaits& waits);

/// Flowable's external worker REST (`/external-job-api/...`) with its bodies and status codes: 204
/// done, 400 a request that cannot be meant so, 403 the worker does not hold the job, 404 no such
/// job. Its existing clients work unchanged. A topic is a handler type; the payload comes as
/// variables; and a completion with variables, an error or a termination is handed on to the app
/// (see work_handed_on).
[[nodiscard]] std::vector<Route> flowable_worker_routes(const ApiParts& api, WorkPool& pool);

}  // namespace jobstrand::service
