#include "schema/job.hpp"
#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/output/record.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/routes.hpp"
#include "tools/service/worker_hand_over.hpp"
#include "tools/service/worker_json.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// External jobs by Camunda's external task REST, for its clients.
namespace jobstrand::service {

using cli::number_field;
using cli::text_or_null_field;
using executor::WorkResult;
using persistence::HeldJob;
using persistence::WorkerAnswer;

namespace {

/// As Camunda writes times: `2026-11-20T10:15:30.123+0000`.
[[nodiscard]] cli::RecordField
camunda_time_field(std::string_view name, const std::optional<schema::TimePoint>& time) {
    if (!time) {
        return text_or_null_field(name, {});
    }
    std::string text = schema::format_instant(*time);
    text.replace(text.size() - 1, 1, "+0000");
    return text_or_null_field(name, text);
}

/// The type and the value, which is JSON.
[[nodiscard]] std::string typed_value(std::string_view value) {
    std::string type(type_of(value));
    const std::string written = type == "json" ? cli::json_string(value) : std::string(value);
    type.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(type.front())));
    return fmt::format(R"({{"type":"{}","value":{},"valueInfo":{{}}}})", type, written);
}

/// Of `{"value": ..., "type": ...}`. Of the types only `Json` means something: its text is JSON,
/// and is read as what it says.
[[nodiscard]] std::string value_in(const cli::JsonMember& variable) {
    const RequestMembers typed(variable.value);
    const std::string_view value = typed.value("value").value_or("null");
    if (!is_same_token(typed.text("type").value_or(""), "json") || value.front() != '"') {
        return cli::on_one_line(value);
    }
    const std::string text = typed.required_text("value");
    if (const std::string problem = cli::problem_of_json(text); !problem.empty()) {
        throw std::invalid_argument(
            fmt::format("variables: {} is no JSON: {}", variable.name, problem)
        );
    }
    return cli::on_one_line(text);
}

/// A locked external task: the topic is the handler type, and the payload comes as variables (see
/// variables_of), each with Camunda's word for its type. Arrays and objects are texts there.
/// `wanted`: the names of those that are to come; nullptr: all of them.
[[nodiscard]] std::string
camunda_json(const schema::Job& job, const std::vector<std::string>* wanted = nullptr) {
    std::vector<std::string> variables;
    for (const Variable& variable : variables_of(job)) {
        if (wanted != nullptr && std::ranges::find(*wanted, variable.name) == wanted->end()) {
            continue;
        }
        variables.push_back(
            fmt::format("{}:{}", cli::json_string(variable.name), typed_value(variable.value))
        );
    }
    const std::string object = fmt::format("{{{}}}", fmt::join(variables, ","));
    return json_of(cli::Record{
        cli::text_field("id", job.id),
        cli::text_field("topicName", job.handler_type),
        text_or_null_field("workerId", job.lock_owner),
        camunda_time_field("lockExpirationTime", job.lock_expiration),
        camunda_time_field("createTime", job.create_time),
        number_field("retries", job.retries),
        number_field("priority", job.priority),
        text_or_null_field("errorMessage", job.exception_message),
        text_or_null_field("errorDetails", {}),
        text_or_null_field("activityId", job.element_id),
        text_or_null_field("activityInstanceId", {}),
        text_or_null_field("executionId", job.execution_id),
        text_or_null_field("processInstanceId", job.process_instance_id),
        text_or_null_field("processDefinitionId", job.process_definition_id),
        text_or_null_field("processDefinitionKey", {}),
        text_or_null_field("processDefinitionVersionTag", {}),
        text_or_null_field("businessKey", job.correlation_id),
        text_or_null_field("tenantId", job.tenant_id),
        cli::flag_field("suspended", false),
        {.name = "variables", .json = object, .text = object},
    });
}

constexpr std::string_view kTaskContent = "application/json";

/// Of a topic, what restricts a fetch and is not known here.
constexpr std::array<std::string_view, 7> kOtherFilters{
    "businessKey",
    "processDefinitionId",
    "processDefinitionIdIn",
    "processDefinitionKey",
    "processDefinitionKeyIn",
    "processDefinitionVersionTag",
    "processVariables"};

/// An error as Camunda's clients read it.
[[nodiscard]] Response camunda_error(int status, std::string_view type, std::string_view message) {
    return {
        .status = status,
        .body = fmt::format(
            R"({{"type":"{}","message":{},"code":0}})"
            "\n",
            type,
            cli::json_string(message)
        )};
}

[[nodiscard]] Response task_response(WorkerAnswer answer, std::string_view worker) {
    switch (answer) {
        case WorkerAnswer::done:
            return {.status = 204, .body = {}};
        case WorkerAnswer::not_found:
            return camunda_error(404, "RestException", "there is no such external task");
        case WorkerAnswer::not_held:
            break;
    }
    return camunda_error(
        400, "RestException", fmt::format("the external task is not locked by worker {}", worker)
    );
}

[[nodiscard]] std::optional<schema::Duration>
milliseconds_in(const RequestMembers& members, std::string_view name) {
    const std::int64_t most = schema::Duration(schema::limits::kWorkerLock).count();
    const auto number = members.number(name, 0, most);
    return number ? std::optional(schema::Duration(*number)) : std::nullopt;
}

/// The tenant that a topic wants; nullopt: any.
[[nodiscard]] std::optional<std::string> tenant_in(const RequestMembers& topic) {
    if (topic.value("withoutTenantId").value_or("false") == "true") {
        return "";
    }
    const auto listed = topic.value("tenantIdIn");
    if (!listed) {
        return std::nullopt;
    }
    const auto tenants = cli::items_of(*listed, 1);
    if (!tenants || tenants.value().size() != 1) {
        throw std::invalid_argument("tenantIdIn must be a list of one tenant");
    }
    const std::string member = fmt::format(R"({{"tenant":{}}})", tenants.value().front());
    return RequestMembers(member).required_text("tenant");
}

[[nodiscard]] bool has_flag(const RequestMembers& members, std::string_view name) {
    return members.value(name).value_or("false") == "true";
}

[[noreturn]] void refuse_here(std::string_view member) {
    throw std::invalid_argument(fmt::format("{} is not supported here", member));
}

/// What would restrict a topic, or say more of its tasks, in a way that is not known here.
void refuse_other_members(const RequestMembers& topic) {
    for (const std::string_view filter : kOtherFilters) {
        if (topic.value(filter)) {
            refuse_here(filter);
        }
    }
    if (has_flag(topic, "includeExtensionProperties")) {
        refuse_here("includeExtensionProperties");
    }
    std::vector<std::string_view> known{
        "topicName",
        "lockDuration",
        "variables",
        "localVariables",
        "deserializeValues",
        "includeExtensionProperties",
        "tenantIdIn",
        "withoutTenantId"};
    known.insert(known.end(), kOtherFilters.begin(), kOtherFilters.end());
    topic.refuse_others(known);
}

struct TaskOrder {
    executor::AcquireOrder order = {};

    /// By topic the variables that its tasks come with; of others all.
    std::map<std::string, std::vector<std::string>, std::less<>> variables = {};
};

/// All topics are fetched in one: with the longest of their locks, and for one tenant.
void add_topic(TaskOrder& tasks, const RequestMembers& topic) {
    refuse_other_members(topic);
    executor::AcquireOrder& order = tasks.order;
    const auto tenant = tenant_in(topic);
    if (!order.topics.empty() && tenant != order.tenant) {
        throw std::invalid_argument("topics of different tenants cannot be fetched in one");
    }
    order.tenant = tenant;
    order.topics.push_back(topic.required_text("topicName"));
    order.lock = std::max(
        order.lock, milliseconds_in(topic, "lockDuration").value_or(schema::Duration::zero())
    );
    if (const auto names = topic.value("variables")) {
        const auto read = cli::strings_of(*names, kVariables);
        if (!read) {
            throw std::invalid_argument("variables must be a list of names");
        }
        tasks.variables.insert_or_assign(order.topics.back(), read.value());
    }
}

[[nodiscard]] TaskOrder task_order_in(const RequestMembers& members) {
    members.refuse_others(
        {"workerId", "maxTasks", "usePriority", "sorting", "asyncResponseTimeout", "topics"}
    );
    const auto sorting = cli::items_of(members.value("sorting").value_or("[]"), 1);
    if (!sorting || !sorting.value().empty()) {
        refuse_here("sorting");
    }
    TaskOrder tasks{
        .order = {
            .worker = members.required_text("workerId"),
            .topics = {},
            .jobs = members.number("maxTasks", 1, schema::limits::kJobsOfWorker).value_or(1),
            .by_priority = has_flag(members, "usePriority")}};
    const auto topics =
        cli::items_of(members.value("topics").value_or("[]"), schema::limits::kTopicsOfWorker);
    if (!topics) {
        throw std::invalid_argument("topics must be a list");
    }
    for (const std::string_view topic : topics.value()) {
        add_topic(tasks, RequestMembers(topic));
    }
    return tasks;
}

[[nodiscard]] Response tasks_taken(const TaskOrder& order, const std::vector<schema::Job>& jobs) {
    std::vector<std::string> tasks;
    for (const schema::Job& job : jobs) {
        const auto wanted = order.variables.find(job.handler_type);
        tasks.push_back(
            camunda_json(job, wanted == order.variables.end() ? nullptr : &wanted->second)
        );
    }
    return {.status = 200, .body = fmt::format("[{}]\n", fmt::join(tasks, ","))};
}

[[nodiscard]] Response failure_of_task(const std::exception& error, schema::Log& log) {
    if (dynamic_cast<const std::invalid_argument*>(&error) != nullptr) {
        return camunda_error(400, "InvalidRequestException", error.what());
    }
    return response_to(error, log);
}

void fetch_tasks(
    const ApiParts& api,
    WorkPool& pool,
    WorkWaits& waits,
    const Request& request,
    const Answer& answer
) {
    const RequestMembers members(request.body);
    const TaskOrder tasks = task_order_in(members);
    const auto take = [&api, &pool, answer, tasks](const std::vector<schema::Job>& jobs) {
        answer(handing_over(api, pool, tasks_taken(tasks, jobs), tasks.order.worker, jobs));
    };
    if (tasks.order.topics.empty()) {
        take({});
        return;
    }
    const auto wait = milliseconds_in(members, "asyncResponseTimeout");
    if (!wait) {
        take(NarrowedWorkers(api, request.scope).acquire(tasks.order));
        return;
    }
    const bool may_wait = waits.add(
        within(request.scope, tasks.order),
        *wait,
        {.take = take,
         .fail = [answer, &log = api.log](const std::exception& error
                 ) { answer(failure_of_task(error, log)); }}
    );
    if (!may_wait) {
        answer(come_again("too many workers wait"));
    }
}

/// A task stays its worker's after a failure, as long as no other has fetched it.
[[nodiscard]] Response
end_task(const ApiParts& api, const Request& request, const RequestMembers& members, auto what) {
    const std::string worker = members.required_text("workerId");
    const WorkResult result{.job = {.id = request.parameters.front()}, .what = std::move(what)};
    const NarrowedWorkers workers(api, request.scope);
    WorkerAnswer answer = workers.finish(worker, std::span(&result, 1)).front();
    if (answer != WorkerAnswer::done && workers.take_back(worker, result.job.id)) {
        answer = workers.finish(worker, std::span(&result, 1)).front();
    }
    return task_response(answer, worker);
}

/// Variables of the task alone are as good as those of its instance here.
[[nodiscard]] std::vector<Variable> told_variables(const RequestMembers& members) {
    std::vector<Variable> all;
    for (const std::string_view name : {"localVariables", "variables"}) {
        for (Variable& variable : variables_in(members.value(name).value_or("{}"), value_in)) {
            std::erase_if(all, [&](const Variable& one) { return one.name == variable.name; });
            all.push_back(std::move(variable));
        }
    }
    return all;
}

[[nodiscard]] Response complete_task(const ApiParts& api, const Request& request) {
    const RequestMembers members(request.body);
    WorkNews news{.action = "complete", .variables = told_variables(members)};
    if (news.variables.empty()) {
        return end_task(api, request, members, executor::WorkCompleted{});
    }
    return end_task(api, request, members, work_handed_on(std::move(news)));
}

[[nodiscard]] Response throw_task_error(const ApiParts& api, const Request& request) {
    const RequestMembers members(request.body);
    WorkNews news{
        .action = "bpmnError",
        .error_code = members.required_text("errorCode"),
        .error_message = members.text("errorMessage"),
        .variables = told_variables(members)};
    return end_task(api, request, members, work_handed_on(std::move(news)));
}

/// Without `retries` the job's retry cycle decides, and with them nothing is waited for unless that
/// is said too.
[[nodiscard]] Response fail_task(const ApiParts& api, const Request& request) {
    const RequestMembers members(request.body);
    schema::JobFailure failure{
        .message = members.text("errorMessage").value_or(""),
        .details = members.text("errorDetails").value_or(""),
        .retry_after = milliseconds_in(members, "retryTimeout")};
    if (const auto retries = members.number("retries", 0, schema::limits::kRetryAttempts)) {
        failure.retries_left = static_cast<int>(*retries);
        failure.retry_after = failure.retry_after.value_or(schema::Duration::zero());
    }
    return end_task(api, request, members, executor::WorkFailed{std::move(failure)});
}

[[nodiscard]] Response extend_task(const ApiParts& api, const Request& request) {
    const RequestMembers members(request.body);
    const std::string worker = members.required_text("workerId");
    const HeldJob job{.id = request.parameters.front()};
    const auto lock = milliseconds_in(members, "newDuration").value_or(schema::Duration::zero());
    const auto found = NarrowedStore(api.engine.store(), request.scope).find(job.id);
    if (found && found->job.lock_owner == worker &&
        found->job.lock_expiration < api.engine.clock().now()) {
        return camunda_error(
            400, "BadUserRequestException", "Cannot extend a lock that expired: fetch it again"
        );
    }
    return task_response(
        NarrowedWorkers(api, request.scope).extend(worker, std::span(&job, 1), lock).front(), worker
    );
}

/// Camunda's clients do not say who they are here: whoever holds the job gives it back.
[[nodiscard]] Response unlock_task(const ApiParts& api, const Request& request) {
    const HeldJob job{.id = request.parameters.front()};
    const auto found = NarrowedStore(api.engine.store(), request.scope).find(job.id);
    if (!found || found->place != schema::JobPlace::external_worker) {
        return task_response(WorkerAnswer::not_found, "");
    }
    const std::string& worker = found->job.lock_owner;
    if (worker.empty()) {
        return {.status = 204, .body = {}};
    }
    return task_response(
        NarrowedWorkers(api, request.scope).give_back(worker, std::span(&job, 1)).front(), worker
    );
}

}  // namespace

std::vector<Route> camunda_worker_routes(const ApiParts& api, WorkPool& pool, WorkWaits& waits) {
    using HandleLate = std::function<void(const Request&, const Answer&)>;
    const auto late = [&](HandleLate handle) {
        return pool.wrap_late([&api, handle](const Request& request, const Answer& answer) {
            // Defended catch: what a request meets is its answer, in Camunda's words.
            try {
                handle(request, answer);
            } catch (const std::exception& error) {
                answer(failure_of_task(error, api.log));
            }
        });
    };
    const auto on = [&](Response (*handle)(const ApiParts&, const Request&)) {
        return late([&api, handle](const Request& request, const Answer& answer) {
            answer(handle(api, request));
        });
    };
    const auto fetch =
        std::bind_front(fetch_tasks, std::cref(api), std::ref(pool), std::ref(waits));
    using enum Role;
    const std::string base = "/engine-rest/external-task/";
    const std::string task = base + "{id}/";
    return honouring_scope({
        {"POST", base + "fetchAndLock", worker, late(fetch), {kTaskContent}},
        {"POST", task + "complete", worker, on(complete_task), {kTaskContent}},
        {"POST", task + "bpmnError", worker, on(throw_task_error), {kTaskContent}},
        {"POST", task + "failure", worker, on(fail_task), {kTaskContent}},
        {"POST", task + "extendLock", worker, on(extend_task), {kTaskContent}},
        {"POST", task + "unlock", worker, on(unlock_task)},
    });
}

}  // namespace jobstrand::service
