#include "deadletter/dead_letters.hpp"
#include "deadletter/job_admin.hpp"
#include "deadletter/job_search.hpp"
#include "executor/manual_run.hpp"
#include "schema/text/time_text.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/flowable_rest.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/routes.hpp"
#include "tools/service/worker_json.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>

#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// Flowable's management REST: it lists jobs, and acts on one of them or on several dead letters. A
/// job that does not stand in the place of the path is 404, one that a node holds 409.
namespace jobstrand::service {

namespace {

using deadletter::ItemAnswer;
using deadletter::ItemResult;
using deadletter::JobAdmin;
using schema::JobPlace;

/// Ids of one request.
constexpr std::size_t kIdsMax = 10'000;

[[nodiscard]] NarrowedStore store_for(const ApiParts& api, const Request& request) {
    return {api.engine.store(), request.scope};
}

[[nodiscard]] Response no_job(const JobKind& kind) {
    return problem(404, fmt::format("there is no such job among the {}", kind.path));
}

[[nodiscard]] std::optional<deadletter::JobDetails>
find_in(NarrowedStore store, JobPlace place, const std::string& id) {
    auto found = deadletter::JobSearch(store).find(id);
    return found && found->placed.place == place ? std::move(found) : std::nullopt;
}

[[nodiscard]] Response response_for(const ItemResult& item, const JobKind& kind) {
    switch (item.answer) {
        case ItemAnswer::done:
        case ItemAnswer::unchanged:
            return {.status = 204, .body = {}};
        case ItemAnswer::not_found:
            return no_job(kind);
        case ItemAnswer::locked:
        case ItemAnswer::refused:
            break;
    }
    return problem(409, cli::why_not_job(item));
}

/// Does something with one job, and says what came of it.
[[nodiscard]] Response
with_one(const ApiParts& api, const JobKind& kind, const Request& request, const auto& act) {
    ItemResult result{.answer = ItemAnswer::not_found};
    NarrowedStore store = store_for(api, request);
    deadletter::JobAdmin admin(store, api.engine.series_store(), api.engine.clock());
    act(admin, deadletter::BulkWatch{.on_item = [&](const ItemResult& item) { result = item; }});
    return response_for(result, kind);
}

[[nodiscard]] std::string action_in(const RequestMembers& members) {
    return members.required_text("action");
}

[[nodiscard]] Response no_action(const std::string& action, std::string_view known) {
    return problem(400, fmt::format("the action {} is not known; there is {}", action, known));
}

[[nodiscard]] schema::TimePoint due_date_in(const RequestMembers& members) {
    const auto time = schema::parse_instant(members.required_text("dueDate"));
    if (!time) {
        throw std::invalid_argument("dueDate " + time.error().message);
    }
    return time.value();
}

[[nodiscard]] std::vector<std::string> ids_in(const RequestMembers& members) {
    const auto list = members.value("jobIds");
    const auto ids = cli::strings_of(list.value_or("[]"), kIdsMax);
    if (!ids) {
        throw std::invalid_argument("jobIds " + ids.error().message);
    }
    // An empty list would be all of them to Flowable.
    if (ids.value().empty() || ids.value().size() > kIdsMax) {
        throw std::invalid_argument(fmt::format("jobIds must name 1 to {} jobs", kIdsMax));
    }
    return ids.value();
}

[[nodiscard]] Response
requeue(const ApiParts& api, const Request& request, const std::vector<std::string>& ids) {
    const JobKind& kind = kJobKinds.back();
    NarrowedStore store = store_for(api, request);
    std::vector<std::string> refused;
    ItemResult last{.answer = ItemAnswer::not_found};
    (void)deadletter::DeadLetters(store, api.engine.clock())
        .requeue(
            deadletter::JobSelection::these(ids),
            {.retries = api.settings.executor.retry.default_attempts},
            {.on_item =
                 [&](const ItemResult& item) {
                     last = item;
                     if (item.answer == ItemAnswer::refused || item.answer == ItemAnswer::locked) {
                         refused.push_back(fmt::format("{}: {}", item.id, cli::why_not_job(item)));
                     }
                 }}
        );
    if (ids.size() == 1) {
        return response_for(last, kind);
    }
    return refused.empty() ? Response{.status = 204, .body = {}}
                           : problem(409, "some were not moved, the others were", refused);
}

[[nodiscard]] Response response_for(const executor::ManualRunResult& run) {
    using executor::ManualRunAnswer;
    switch (run.answer) {
        case ManualRunAnswer::not_found:
            return no_job(kJobKinds.front());
        case ManualRunAnswer::locked:
            return problem(409, "a node holds the job, or another one of its instance");
        case ManualRunAnswer::lost_lock:
            return problem(409, "it was run, but its lock was lost, so another node runs it again");
        case ManualRunAnswer::done:
            break;
    }
    if (run.transition && run.transition->failure) {
        return problem(500, "the job failed: " + run.transition->failure->message);
    }
    return {.status = 204, .body = {}};
}

[[nodiscard]] Response
show_job_of(const ApiParts& api, const JobKind& kind, const Request& request) {
    const auto found = find_in(store_for(api, request), kind.place, request.parameters.front());
    if (!found) {
        return no_job(kind);
    }
    const std::string origin = origin_of(request);
    return {.status = 200, .body = management_json(found->placed.job, kind, origin) + '\n'};
}

/// The details of the last failure as plain text; 404: there are none.
[[nodiscard]] Response
show_stack_trace(const ApiParts& api, const JobKind& kind, const Request& request) {
    const auto found = find_in(store_for(api, request), kind.place, request.parameters.front());
    if (!found) {
        return no_job(kind);
    }
    if (found->exception_details.empty()) {
        return problem(404, "no details of a failure are stored with the job");
    }
    return {
        .status = 200,
        .content_type = "text/plain; charset=utf-8",
        .body = found->exception_details,
    };
}

[[nodiscard]] Response
delete_job_of(const ApiParts& api, const JobKind& kind, const Request& request) {
    return with_one(api, kind, request, [&](JobAdmin& admin, const deadletter::BulkWatch& watch) {
        (void)admin.remove(deadletter::JobSelection::these(request.parameters), kind.place, watch);
    });
}

/// `execute`: runs it now, in this node. 500 with its failure, if it fails.
[[nodiscard]] Response act_on_job(const ApiParts& api, const Request& request) {
    const std::string action = action_in(RequestMembers(request.body));
    if (action != "execute") {
        return no_action(action, "execute");
    }
    const std::string& id = request.parameters.front();
    const auto found = find_in(store_for(api, request), JobPlace::executable, id);
    if (!found) {
        return no_job(kJobKinds.front());
    }
    if (executor::obstacle_to_run(found->placed, api.engine.handlers()) !=
        executor::RunObstacle::none) {
        return problem(409, "this node has no handler for the job, or lacks what the job needs");
    }
    return response_for(api.engine.run_job(id));
}

/// `move` makes it executable now, `reschedule` gives it a `dueDate`.
[[nodiscard]] Response act_on_timer(const ApiParts& api, const Request& request) {
    const JobKind& kind = kJobKinds.at(1);
    const RequestMembers members(request.body);
    const std::string action = action_in(members);
    if (action != "move" && action != "reschedule") {
        return no_action(action, "move, and reschedule");
    }
    if (action == "move") {
        return with_one(
            api,
            kind,
            request,
            [&](JobAdmin& admin, const deadletter::BulkWatch& watch) {
                (void)admin.fire(request.parameters, watch);
            }
        );
    }
    const schema::TimePoint due_date = due_date_in(members);
    return with_one(api, kind, request, [&](JobAdmin& admin, const deadletter::BulkWatch& watch) {
        (void)admin.reschedule(request.parameters, due_date, watch);
    });
}

/// `move` gives it new attempts.
[[nodiscard]] Response act_on_dead_letter(const ApiParts& api, const Request& request) {
    const std::string action = action_in(RequestMembers(request.body));
    if (action != "move") {
        return no_action(action, "move; there are no history jobs here");
    }
    if (!find_in(store_for(api, request), JobPlace::dead_letter, request.parameters.front())) {
        return no_job(kJobKinds.back());
    }
    return requeue(api, request, request.parameters);
}

/// `move` with `jobIds`, at least one. 404 names those that are no dead letters; then none is
/// moved.
[[nodiscard]] Response act_on_dead_letters(const ApiParts& api, const Request& request) {
    const RequestMembers members(request.body);
    const std::string action = action_in(members);
    if (action != "move") {
        return no_action(action, "move; there are no history jobs here");
    }
    const std::vector<std::string> ids = ids_in(members);
    std::vector<std::string> missing;
    for (const std::string& id : ids) {
        if (!find_in(store_for(api, request), JobPlace::dead_letter, id)) {
            missing.push_back(id);
        }
    }
    if (!missing.empty()) {
        return problem(404, "these are no dead letters; nothing was moved", missing);
    }
    Response response = requeue(api, request, ids);
    response.changed = response.status < 300 ? static_cast<std::int64_t>(ids.size()) : 0;
    return response;
}

/// `GET management/{kind}`: a part of the jobs, and how many there are in all.
[[nodiscard]] Response
list_jobs_of(const ApiParts& api, const JobKind& kind, const Request& request) {
    const ListQuery query = management_query_of(request, kind, api.engine.clock().now());
    NarrowedStore store(api.engine.store(), request.scope);
    const deadletter::JobSearch search(store);
    const std::string origin = origin_of(request);
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
    const ListQuery query =
        management_query_of(request, kJobKinds.front(), api.engine.clock().now());
    return list_response(query, {}, 0);
}

[[nodiscard]] Response show_no_job(const ApiParts& /*api*/, const Request& /*request*/) {
    return problem(404, "there are no history jobs here");
}

/// What is done with jobs under some of the paths, and what the audit calls it.
struct Change {
    std::string_view path;
    const char* action;
    Response (*act)(const ApiParts&, const Request&);
};

constexpr std::array<Change, 4> kChanges{{
    {"jobs/{id}", "job run", act_on_job},
    {"timer-jobs/{id}", "timer change", act_on_timer},
    {"deadletter-jobs/{id}", "dead requeue", act_on_dead_letter},
    {"deadletter-jobs", "dead requeue", act_on_dead_letters},
}};

}  // namespace

std::vector<Route> management_routes(const ApiParts& api, WorkPool& pool) {
    const auto with_api = [&](auto handle, const auto&... kind) {
        return std::bind_front(handle, std::cref(api), std::cref(kind)...);
    };
    using enum Role;
    const std::string base = std::string(kManagement) + '/';
    std::vector<Route> routes;
    for (const JobKind& kind : kJobKinds) {
        const std::string list = base + std::string(kind.path);
        const std::string job = list + "/{id}";
        const Handler trace = pool.wrap(with_api(show_stack_trace, kind));
        const Handler remove = pool.wrap(audited(api, "job rm", with_api(delete_job_of, kind)));
        routes.push_back({"GET", list, read, pool.wrap(with_api(list_jobs_of, kind))});
        routes.push_back({"GET", job, read, pool.wrap(with_api(show_job_of, kind))});
        routes.push_back({"GET", job + "/exception-stacktrace", read, trace});
        routes.push_back({"DELETE", job, admin, remove});
    }
    for (const auto& [path, action, act] : kChanges) {
        const Handler change = pool.wrap(audited(api, action, with_api(act)));
        routes.push_back({"POST", base + std::string(path), admin, change, {"application/json"}});
    }
    routes.push_back({"GET", base + "history-jobs", read, pool.wrap(with_api(list_no_jobs))});
    routes.push_back({"GET", base + "history-jobs/{id}", read, pool.wrap(with_api(show_no_job))});
    return with_flowable_errors(honouring_scope(std::move(routes)));
}

}  // namespace jobstrand::service
