#include "tools/service/api/audited.hpp"

#include "deadletter/admin/audit_trail.hpp"

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
        deadletter::AuditTrail admin(
            api.engine.audit_store(), api.engine.clock(), &api.engine.action_counts()
        );
        Response response;
        admin.run(
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

}  // namespace jobstrand::service
