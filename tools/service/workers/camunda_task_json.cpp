#include "tools/service/workers/camunda_task_json.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/output/record.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/workers/request_members.hpp"
#include "tools/service/workers/work_outcome.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/json_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

namespace {

using cli::number_field;
using cli::text_or_null_field;

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

[[nodiscard]] std::string_view camunda_number_type(std::string_view value) {
    std::int64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc{} || stop != end) {
        return "Double";
    }
    using Integer = std::numeric_limits<std::int32_t>;
    return number >= Integer::min() && number <= Integer::max() ? "Integer" : "Long";
}

/// The type and the value; `value` is JSON, so its first character tells what it is.
[[nodiscard]] std::string typed_value(std::string_view value) {
    std::string_view type;
    std::string written(value);
    switch (value.front()) {
        case '"':
            type = "String";
            break;
        case 't':
        case 'f':
            type = "Boolean";
            break;
        case 'n':
            type = "Null";
            break;
        case '{':
        case '[':
            type = "Json";
            written = cli::json_string(value);
            break;
        default:
            type = camunda_number_type(value);
            break;
    }
    return fmt::format(R"({{"type":"{}","value":{},"valueInfo":{{}}}})", type, written);
}

[[nodiscard]] std::string value_in(std::string_view name, const RequestMembers& typed) {
    const std::string_view value = typed.value("value").value_or("null");
    if (!is_same_token(typed.text("type").value_or(""), "json") || value.front() != '"') {
        return cli::on_one_line(value);
    }
    const std::string text = typed.required_text("value");
    if (const std::string problem = cli::problem_of_json(text); !problem.empty()) {
        throw std::invalid_argument(fmt::format("variables: {} is no JSON: {}", name, problem));
    }
    return cli::on_one_line(text);
}

}  // namespace

std::string camunda_json(const schema::Job& job, const std::vector<std::string>* wanted) {
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

std::vector<Variable> camunda_variables(std::string_view json) {
    const auto members = cli::members_of(json, kVariables);
    if (!members) {
        throw std::invalid_argument("variables must be an object");
    }
    std::vector<Variable> variables;
    for (const cli::JsonMember& member : members.value()) {
        std::string value = value_in(member.name, RequestMembers(member.value));
        variables.push_back({.name = member.name, .value = std::move(value)});
    }
    return variables;
}

}  // namespace jobstrand::service
