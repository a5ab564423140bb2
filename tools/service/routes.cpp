#include "tools/service/routes.hpp"

#include "deadletter/history_admin.hpp"
#include "tools/service/api/engine_set.hpp"
#include "tools/service/api/operator_paths.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace jobstrand::service {

namespace {

constexpr int kOk = 200;
constexpr int kRedirect = 300;
constexpr int kServerError = 500;

[[nodiscard]] bool is_done(const Response& response) {
    return response.status >= kOk && response.status < kRedirect;
}

[[nodiscard]] std::string result_of(const Response& response) {
    if (is_done(response)) {
        return "done";
    }
    return response.status < kServerError ? "refused" : "failed";
}

/// What it was about: the path has the ids, the body the rest.
[[nodiscard]] std::string arguments_of(const Request& request) {
    std::string text = request.method + ' ' + request.target;
    if (!request.body.empty()) {
        text += ' ' + request.body;
    }
    return text;
}

}  // namespace

WorkPool::BlockingHandler
audited(const ApiParts& api, std::string action, WorkPool::BlockingHandler handler) {
    return [&api, action = std::move(action), handler = std::move(handler)](const Request& request
           ) {
        deadletter::AuditTrail trail(
            api.engine.audit_store(), api.engine.clock(), &api.engine.action_counts()
        );
        Response response;
        trail.run(
            {
                .who = request.caller,
                .via = "http",
                .action = action,
                .arguments = arguments_of(request),
                .reason = std::string(request.header("Jobstrand-Reason")),
            },
            [&]() -> deadletter::ActionEnd {
                response = handler(request);
                const std::int64_t changed = response.changed.value_or(is_done(response) ? 1 : 0);
                return {.result = result_of(response), .changed = changed};
            }
        );
        return response;
    };
}

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kLines = "application/x-ndjson";
constexpr std::string_view kOtherLines = "application/jsonl";

void answer_alive(const Request& /*request*/, const Answer& answer) {
    answer({.status = 200, .body = "{\"status\":\"live\"}\n"});
}

void describe(const Request& request, const Answer& answer) {
    static const std::string api = described_api();
    static const std::string api_3_0 = described_api_3_0();
    const std::string_view query = request.query();
    if (query.empty() || query == "version=3.1") {
        answer({.status = 200, .body = api});
    } else if (query == "version=3.0") {
        answer({.status = 200, .body = api_3_0});
    } else {
        answer(problem(400, "version must be 3.1, or 3.0"));
    }
}

/// Into the engine that a job belongs to, if this one is of a set.
[[nodiscard]] Handler enqueueing(RouteParts& parts) {
    if (parts.api.set == nullptr) {
        return enqueue_jobs(parts.api, parts.pool, parts.singles);
    }
    return [&set = *parts.api.set](Request request, const Answer& answer) {
        set.enqueue(std::move(request), answer);
    };
}

/// From whichever engine has it, likewise.
[[nodiscard]] Handler showing(RouteParts& parts) {
    if (parts.api.set == nullptr) {
        return parts.pool.wrap(std::bind_front(show_job, std::cref(parts.api)));
    }
    return [&set = *parts.api.set](const Request& request, const Answer& answer) {
        set.show(request, answer);
    };
}

}  // namespace

std::vector<Route> all_routes(RouteParts& parts) {
    const ApiParts& api = parts.api;
    WorkPool& pool = parts.pool;
    const auto on = [&](auto handle) { return pool.wrap(std::bind_front(handle, std::cref(api))); };
    const auto is_ready = [&readiness = parts.readiness](const Request&) {
        return readiness.answer();
    };
    const auto look_at_backlog = pool.wrap([&backlog = parts.backlog](const Request&) {
        backlog.look();
        return Response{};
    });
    const auto tell_metrics = [&api, &http = parts.http, &backlog = parts.backlog, look_at_backlog](
                                  const Request&, const Answer& answer
                              ) {
        answer(metrics(api, http, backlog));
        if (backlog.wants_a_look(Backlog::kRestOfScrapes)) {
            look_at_backlog({.method = "GET", .target = {}}, [](const Response&) {});
        }
    };
    std::vector<Route> routes = honouring_scope({
        {"GET", "/health/live", Role::anybody, answer_alive},
        {"GET", "/health/ready", Role::anybody, pool.wrap_urgent(is_ready)},
        {"GET", "/api/v1/openapi.json", Role::read, describe},

        {"GET", "/api/v1/jobs", Role::read, parts.shared.wrap(on(list_jobs))},
        {"POST", "/api/v1/jobs", Role::worker, enqueueing(parts), {kJson, kLines, kOtherLines}},
        {"GET", "/api/v1/jobs/{id}", Role::read, parts.shared.wrap(showing(parts))},
        {"GET", "/api/v1/stats", Role::read, parts.shared.wrap(on(show_stats))},
        {"GET", "/api/v1/events", Role::read, watch_changes(parts.feed)},
        {"POST", "/api/v1/wake", Role::worker, on(wake_node)},
    });
    // What nodes and limits are like is for whoever may see all jobs.
    routes.push_back({"GET", "/metrics", Role::read, tell_metrics});
    std::ranges::move(page_routes(), std::back_inserter(routes));
    std::ranges::move(session_routes(parts.gate, parts.api), std::back_inserter(routes));
    std::ranges::move(operation_routes(api, parts.verbs, parts.shared), std::back_inserter(routes));
    std::ranges::move(verb_routes(api, parts.verbs), std::back_inserter(routes));
    std::ranges::move(management_routes(api, pool), std::back_inserter(routes));
    std::ranges::move(call_back_routes(api, pool), std::back_inserter(routes));
    std::ranges::move(work_routes(api, pool, parts.waits), std::back_inserter(routes));
    std::ranges::move(flowable_worker_routes(api, pool), std::back_inserter(routes));
    std::ranges::move(camunda_worker_routes(api, pool, parts.waits), std::back_inserter(routes));
    return routes;
}

}  // namespace jobstrand::service
