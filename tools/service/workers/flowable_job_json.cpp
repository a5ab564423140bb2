#include "tools/service/workers/flowable_job_json.hpp"

#include "tools/output/record.hpp"
#include "tools/output/time_field.hpp"
#include "tools/service/workers/work_outcome.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/percent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <vector>

namespace jobstrand::service {

namespace {

using cli::number_field;
using cli::text_field;
using cli::text_or_null_field;
using cli::time_field;

[[nodiscard]] std::string_view type_of_number(std::string_view value) {
    std::int64_t number = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, number);
    if (error != std::errc{} || stop != end) {
        return "double";
    }
    using Integer = std::numeric_limits<std::int32_t>;
    return number >= Integer::min() && number <= Integer::max() ? "integer" : "long";
}

/// `value` is JSON, so its first character tells what it is.
[[nodiscard]] std::string_view type_of(std::string_view value) {
    switch (value.front()) {
        case '"':
            return "string";
        case 't':
        case 'f':
            return "boolean";
        case 'n':
            return "null";
        case '{':
        case '[':
            return "json";
        default:
            return type_of_number(value);
    }
}

[[nodiscard]] cli::Record record_of(const schema::Job& job, std::string_view origin) {
    return {
        text_field("id", job.id),
        text_field(
            "url", fmt::format("{}/external-job-api/jobs/{}", origin, percent_encoded(job.id))
        ),
        text_or_null_field("correlationId", job.correlation_id),
        text_or_null_field("processInstanceId", job.process_instance_id),
        text_or_null_field("processDefinitionId", job.process_definition_id),
        text_or_null_field("executionId", job.execution_id),
        text_or_null_field("scopeId", job.scope_id),
        text_or_null_field("subScopeId", job.sub_scope_id),
        text_or_null_field("scopeDefinitionId", job.scope_definition_id),
        text_or_null_field(
            "scopeType", job.scope_type == schema::kOurScope ? std::string() : job.scope_type
        ),
        text_or_null_field("elementId", job.element_id),
        text_or_null_field("elementName", job.element_name),
        number_field("retries", job.retries),
        text_or_null_field("exceptionMessage", job.exception_message),
        time_field("dueDate", job.due_date),
        time_field("createTime", job.create_time),
        text_field("tenantId", job.tenant_id),
        text_or_null_field("lockOwner", job.lock_owner),
        time_field("lockExpirationTime", job.lock_expiration),
    };
}

}  // namespace

std::string origin_of(std::string_view host) {
    return fmt::format("http://{}", host);
}

std::string flowable_json(const schema::Job& job, std::string_view origin) {
    return json_of(record_of(job, origin));
}

std::string flowable_json_with_variables(const schema::Job& job, std::string_view origin) {
    std::vector<std::string> variables;
    for (const Variable& variable : variables_of(job)) {
        variables.push_back(fmt::format(
            R"({{"name":{},"type":"{}","value":{}}})",
            cli::json_string(variable.name),
            type_of(variable.value),
            variable.value
        ));
    }
    cli::Record record = record_of(job, origin);
    const std::string list = fmt::format("[{}]", fmt::join(variables, ","));
    record.push_back({.name = "variables", .json = list, .text = list});
    return json_of(record);
}

}  // namespace jobstrand::service
