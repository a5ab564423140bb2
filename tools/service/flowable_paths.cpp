#include "deadletter/job_search.hpp"
#include "schema/limits.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/service/flowable_rest.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/http/router.hpp"
#include "tools/service/routes.hpp"
#include "tools/service/worker_hand_over.hpp"
#include "tools/service/worker_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

using executor::WorkResult;
using persistence::FieldCondition;
using persistence::HeldJob;
using persistence::WorkerAnswer;
using schema::Job;
using schema::JobPlace;

constexpr std::string_view kWorkerJson = "application/json";

/// Jobs of one answer, and those that may be passed over before it: each of them is read.
constexpr std::size_t kListSizeMax = 1000;
constexpr std::size_t kListStartMax = 10'000;

/// The list is in one order only; locks and failures are asked for by a word for each answer.
[[nodiscard]] bool is_read_as_word(ListQuery& query, std::string_view name, std::string_view text) {
    if (name == "locked" || name == "unlocked") {
        query.filter.locked = name == "locked";
        return text == "true";
    }
    if (name == "withException") {
        query.filter.failed = true;
        return text == "true";
    }
    return (name == "sort" && text == "id") || (name == "order" && text == "asc");
}

void read(ListQuery& query, const std::string& name, const std::string& text) {
    if (const auto field = filtered_text(name)) {
        query.filter.fields.push_back(persistence::equals(field, text));
    } else if (name == "start") {
        query.part.skipped = number_in(name, text, kListStartMax);
    } else if (name == "size") {
        query.part.limit = number_in(name, text, kListSizeMax);
    } else if (!is_read_as_word(query, name, text)) {
        throw std::invalid_argument(
            fmt::format("{}={} is not supported here", cli::printable(name), cli::printable(text))
        );
    }
}

[[nodiscard]] ListQuery query_of(const Request& request) {
    ListQuery query;
    for (const auto& [name, text] : query_items_of(request)) {
        read(query, name, text);
    }
    return query;
}

/// `GET /external-job-api/jobs` as Flowable answers it: jobs of the external place in the order of
/// their ids, filtered and cut by what stands behind the question mark; `total` counts all that
/// match. What Flowable knows and this does not is refused, and never left out of the filter.
[[nodiscard]] Response list_flowable_jobs(const ApiParts& api, const Request& request) {
    const ListQuery query = query_of(request);
    const std::vector<JobPlace> places{JobPlace::external_worker};
    const auto& [start, size] = std::pair(query.part.skipped, query.part.limit);
    NarrowedStore store(api.engine.store(), request.scope);
    const deadletter::JobSearch search(store);
    const auto page = search.list(
        {.places = places, .filter = query.filter, .limit = std::max<std::size_t>(start + size, 1)}
    );
    const std::string origin = origin_of(request);
    std::vector<std::string> jobs;
    for (std::size_t i = start; i < page.items.size() && jobs.size() < size; ++i) {
        jobs.push_back(flowable_json(page.items[i].job, origin));
    }
    const std::int64_t total =
        search.count(places, deadletter::JobSelection::matching(query.filter));
    return list_response(query, jobs, total);
}

[[nodiscard]] Response no_external_job() {
    return problem(404, "there is no such external job: it may be done already");
}

[[nodiscard]] Response response_to_answer(WorkerAnswer answer, std::string_view worker) {
    switch (answer) {
        case WorkerAnswer::done:
            return {.status = 204, .body = {}};
        case WorkerAnswer::not_found:
            return no_external_job();
        case WorkerAnswer::not_held:
            break;
    }
    return problem(403, fmt::format("{} does not hold a lock on the requested job", worker));
}

[[nodiscard]] Response show_external_job(const ApiParts& api, const Request& request) {
    const auto found =
        NarrowedStore(api.engine.store(), request.scope).find(request.parameters.front());
    if (!found || found->place != schema::JobPlace::external_worker) {
        return no_external_job();
    }
    const std::string origin = origin_of(request);
    return {.status = 200, .body = flowable_json(found->job, origin) + '\n'};
}

[[nodiscard]] executor::AcquireOrder order_in(const RequestMembers& members) {
    // What would choose among the jobs, such as users and groups, must not be left out.
    members.refuse_others(
        {"topic",
         "lockDuration",
         "numberOfTasks",
         "numberOfRetries",
         "workerId",
         "tenantId",
         "scopeType"}
    );
    executor::AcquireOrder order{
        .worker = members.required_text("workerId"),
        .topics = {members.required_text("topic")},
        .lock = members.duration("lockDuration").value_or(schema::Duration::zero()),
        .jobs = members.number("numberOfTasks", 1, schema::limits::kJobsOfWorker).value_or(1),
        .tenant = members.text("tenantId"),
        .scope_type = members.text("scopeType")};
    // How often Flowable begins anew when two workers meet. Here they do not.
    (void)members.number("numberOfRetries", 0, std::numeric_limits<int>::max());
    return order;
}

[[nodiscard]] Response acquire(const ApiParts& api, WorkPool& pool, const Request& request) {
    const executor::AcquireOrder order = order_in(RequestMembers(request.body));
    const auto jobs = NarrowedWorkers(api, request.scope).acquire(order);
    const std::string origin = origin_of(request);
    std::vector<std::string> texts;
    for (const schema::Job& job : jobs) {
        texts.push_back(flowable_json_with_variables(job, origin));
    }
    const std::string body = fmt::format("[{}]\n", fmt::join(texts, ","));
    return handing_over(api, pool, {.status = 200, .body = body}, order.worker, jobs);
}

[[nodiscard]] Response
finish(const ApiParts& api, const Request& request, const RequestMembers& members, auto what) {
    const std::string worker = members.required_text("workerId");
    const WorkResult result{.job = {.id = request.parameters.front()}, .what = std::move(what)};
    return response_to_answer(
        NarrowedWorkers(api, request.scope).finish(worker, std::span(&result, 1)).front(), worker
    );
}

/// `complete`, `bpmnError` or `cmmnTerminate`, which are handed on to the app. That a job is
/// complete without a word more is not.
[[nodiscard]] Response
end_job(const ApiParts& api, const std::string& action, const Request& request) {
    const RequestMembers members(request.body);
    WorkNews news{.action = action};
    if (const auto variables = members.value("variables")) {
        news.variables = flowable_variables(*variables);
    }
    if (action == "complete" && news.variables.empty()) {
        return finish(api, request, members, executor::WorkCompleted{});
    }
    if (action == "bpmnError") {
        news.error_code = members.text("errorCode");
    }
    return finish(api, request, members, work_handed_on(std::move(news)));
}

[[nodiscard]] Response fail(const ApiParts& api, const Request& request) {
    const RequestMembers members(request.body);
    schema::JobFailure failure{
        .message = members.text("errorMessage").value_or(""),
        .details = members.text("errorDetails").value_or(""),
        .retry_after = members.duration("retryTimeout")};
    if (const auto retries = members.number("retries", 0, schema::limits::kRetryAttempts)) {
        failure.retries_left = static_cast<int>(*retries);
    }
    return finish(api, request, members, executor::WorkFailed{std::move(failure)});
}

[[nodiscard]] Response give_back(const ApiParts& api, const Request& request) {
    const std::string worker = RequestMembers(request.body).required_text("workerId");
    const HeldJob job{.id = request.parameters.front()};
    return response_to_answer(
        NarrowedWorkers(api, request.scope).give_back(worker, std::span(&job, 1)).front(), worker
    );
}

[[nodiscard]] std::int64_t
count_held(const ApiParts& api, const Request& request, std::vector<FieldCondition> conditions) {
    NarrowedStore store(api.engine.store(), request.scope);
    return deadletter::JobSearch(store).count(
        {schema::JobPlace::external_worker},
        deadletter::JobSelection::matching({.fields = std::move(conditions)})
    );
}

/// With a tenant, whoever holds jobs of others too is refused, and keeps all.
[[nodiscard]] Response give_back_all(const ApiParts& api, const Request& request) {
    const RequestMembers members(request.body);
    const std::string worker = members.required_text("workerId");
    const auto tenant = members.text("tenantId").value_or("");
    if (tenant.empty()) {
        (void)NarrowedWorkers(api, request.scope).give_back_all(worker, std::nullopt);
        return {.status = 204, .body = {}};
    }
    const FieldCondition is_held = persistence::equals(&schema::Job::lock_owner, worker);
    const FieldCondition is_of_tenant = persistence::equals(&schema::Job::tenant_id, tenant);
    if (count_held(api, request, {is_held}) != count_held(api, request, {is_held, is_of_tenant})) {
        return problem(400, fmt::format("{} holds jobs of other tenants than {}", worker, tenant));
    }
    (void)NarrowedWorkers(api, request.scope).give_back_all(worker, tenant);
    return {.status = 204, .body = {}};
}

}  // namespace

std::vector<Route> flowable_worker_routes(const ApiParts& api, WorkPool& pool) {
    const auto on = [&](auto handle) { return pool.wrap(std::bind_front(handle, std::cref(api))); };
    const auto ending = [&](const std::string& action) {
        return pool.wrap(std::bind_front(end_job, std::cref(api), action));
    };
    const auto take = std::bind_front(acquire, std::cref(api), std::ref(pool));
    using enum Role;
    const std::string base = "/external-job-api";
    const std::string job = base + "/acquire/jobs/{id}";
    return with_flowable_errors(honouring_scope({
        {"GET", base + "/jobs", read, on(list_flowable_jobs)},
        {"GET", base + "/jobs/{id}", read, on(show_external_job)},
        {"POST", base + "/acquire/jobs", worker, pool.wrap(take), {kWorkerJson}},
        {"POST", job + "/complete", worker, ending("complete"), {kWorkerJson}},
        {"POST", job + "/bpmnError", worker, ending("bpmnError"), {kWorkerJson}},
        {"POST", job + "/cmmnTerminate", worker, ending("cmmnTerminate"), {kWorkerJson}},
        {"POST", job + "/fail", worker, on(fail), {kWorkerJson}},
        {"POST", base + "/unacquire/jobs", worker, on(give_back_all), {kWorkerJson}},
        {"POST", base + "/unacquire/jobs/{id}", worker, on(give_back), {kWorkerJson}},
    }));
}

}  // namespace jobstrand::service
