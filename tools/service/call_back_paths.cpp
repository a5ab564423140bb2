#include "tools/access/narrowed_store.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/routes.hpp"
#include "tools/service/worker_json.hpp"
#include "tools/text/json_text.hpp"

#include <charconv>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace jobstrand::service {

namespace {

using executor::HandlerResult;
using executor::ToldAnswer;

/// The header that the app was called with, and sends back.
constexpr std::string_view kTokenHeader = "jobstrand-fencing-token";

/// The handler type of jobs that call apps.
constexpr std::string_view kCallingType = "http";

[[nodiscard]] std::int64_t token_in(const Request& request) {
    const std::string_view text = request.header(kTokenHeader);
    std::int64_t token = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), token);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    if (text.empty() || !is_number || request.count_headers(kTokenHeader) != 1) {
        throw std::invalid_argument(
            "the header jobstrand-fencing-token must have the number that the call had"
        );
    }
    return token;
}

[[nodiscard]] bool is_retryable(const RequestMembers& members) {
    bool retryable = true;
    const auto written = members.value("retryable");
    const std::string wrong = written ? cli::read_flag(*written, retryable) : "";
    if (!wrong.empty()) {
        throw std::invalid_argument("retryable " + wrong);
    }
    return retryable;
}

[[nodiscard]] HandlerResult outcome_in(std::string_view json) {
    const RequestMembers members(json);
    const std::string outcome = members.required_text("outcome");
    if (outcome == "done") {
        members.refuse_others({"outcome"});
        return executor::Succeeded{};
    }
    if (outcome != "failed") {
        throw std::invalid_argument("outcome must be done or failed");
    }
    members.refuse_others({"outcome", "message", "details", "retryable", "retryAfter"});
    return executor::Failed{
        .message = members.text("message").value_or(""),
        .details = members.text("details").value_or(""),
        .retryable = is_retryable(members),
        .retry_after = members.duration("retryAfter")};
}

[[nodiscard]] Response response_to_told(ToldAnswer answer) {
    switch (answer) {
        case ToldAnswer::taken:
            return {.status = 204, .body = {}};
        case ToldAnswer::not_found:
            return problem(404, "there is no such job: it is done, or was removed");
        case ToldAnswer::not_running:
            return problem(
                409, "the job is not under way: its attempt has ended, or was given back"
            );
        case ToldAnswer::stale_token:
            break;
    }
    return problem(409, "the fencing token is that of another attempt, which has ended");
}

/// Of other handlers the node knows the end, and nobody was given a token.
[[nodiscard]] bool calls_apps(const schema::Job& job) {
    return job.handler_type == kCallingType;
}

[[nodiscard]] Response take_outcome(const ApiParts& api, const Request& request) {
    const std::int64_t token = token_in(request);
    const HandlerResult outcome = outcome_in(request.body);
    const std::string& id = request.parameters.front();
    const auto found = NarrowedStore(api.engine.store(), request.scope).find(id);
    if (found && !calls_apps(found->job)) {
        return problem(409, "this is no http job: nobody was called, and nobody calls back");
    }
    if (!found && request.scope.is_narrow()) {
        return response_to_told(ToldAnswer::not_found);
    }
    return response_to_told(api.engine.outcomes().tell(id, token, outcome));
}

}  // namespace

std::vector<Route> call_back_routes(const ApiParts& api, WorkPool& pool) {
    const auto take = std::bind_front(take_outcome, std::cref(api));
    return honouring_scope({
        {"POST", "/api/v1/jobs/{id}/outcome", Role::worker, pool.wrap(take), {"application/json"}},
    });
}

}  // namespace jobstrand::service
