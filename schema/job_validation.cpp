#include "schema/job_validation.hpp"

#include "schema/limits.hpp"
#include "schema/retry_policy.hpp"
#include "schema/text/text_rules.hpp"

#include <array>
#include <string_view>

namespace jobstrand::schema {
namespace {

using Problems = std::vector<std::string>;

/// A field under the name that it has in JSON, which is what its author wrote.
struct TextField {
    std::string_view name;
    std::string Job::*member;
};

constexpr std::array kIdFields{
    TextField{"id", &Job::id},
    TextField{"executionId", &Job::execution_id},
    TextField{"processInstanceId", &Job::process_instance_id},
    TextField{"processDefinitionId", &Job::process_definition_id},
    TextField{"exceptionStackId", &Job::exception_stack_id},
    TextField{"customValuesId", &Job::custom_values_id},
    TextField{"rootProcessInstanceId", &Job::root_process_instance_id},
    TextField{"deploymentId", &Job::deployment_id},
    TextField{"jobDefinitionId", &Job::job_definition_id},
    TextField{"series", &Job::series},
};

constexpr std::array kNameFields{
    TextField{"category", &Job::category},
    TextField{"type", &Job::type},
    TextField{"lockOwner", &Job::lock_owner},
    TextField{"elementId", &Job::element_id},
    TextField{"elementName", &Job::element_name},
    TextField{"scopeId", &Job::scope_id},
    TextField{"subScopeId", &Job::sub_scope_id},
    TextField{"scopeType", &Job::scope_type},
    TextField{"scopeDefinitionId", &Job::scope_definition_id},
    TextField{"correlationId", &Job::correlation_id},
    TextField{"repeat", &Job::repeat},
    TextField{"handlerType", &Job::handler_type},
    TextField{"tenantId", &Job::tenant_id},
    TextField{"retryCycle", &Job::retry_cycle},
    TextField{"suspendedFrom", &Job::suspended_from},
};

void check_payload(std::string_view payload, Problems& problems) {
    if (payload.size() > limits::kPayloadBytes) {
        problems.push_back(
            "payload is longer than " + std::to_string(limits::kPayloadBytes) + " bytes"
        );
        return;
    }
    check_text("payload", payload, limits::kPayloadBytes, problems);
}

void check_handler_type(const Job& job, Problems& problems) {
    if (job.handler_type.empty()) {
        problems.emplace_back("handlerType must be given");
    }
}

void check_type(const Job& job, Problems& problems) {
    if (job.type != kMessageType && job.type != kTimerType && job.type != kExternalWorkerType) {
        problems.emplace_back("type must be message, timer or externalWorker");
    }
}

void check_retries(const Job& job, Problems& problems) {
    if (job.retries < 0 || job.retries > limits::kRetryAttempts) {
        problems.push_back("retries must be 0 to " + std::to_string(limits::kRetryAttempts));
    }
}

void check_retry_cycle(const Job& job, Problems& problems) {
    if (job.retry_cycle.empty()) {
        return;
    }
    const auto cycle = parse_retry_cycle(job.retry_cycle);
    if (!cycle) {
        problems.push_back(
            "retryCycle: " + cycle.error().message + " at position " +
            std::to_string(cycle.error().position)
        );
    }
}

void check_due_date(const Job& job, Problems& problems) {
    if (job.due_date && (*job.due_date < kEarliestInstant || *job.due_date > kLatestInstant)) {
        problems.emplace_back("dueDate must be in the years 1970 to 9999");
    }
}

}  // namespace

std::vector<std::string> problems_of(const Job& job) {
    Problems problems;
    for (const TextField& field : kIdFields) {
        check_id(field.name, job.*field.member, problems);
    }
    for (const TextField& field : kNameFields) {
        check_text(field.name, job.*field.member, limits::kNameLength, problems);
    }
    check_text(
        "exceptionMessage", job.exception_message, limits::kExceptionMessageLength, problems
    );
    check_handler_type(job, problems);
    check_payload(job.payload, problems);
    check_type(job, problems);
    check_retries(job, problems);
    check_retry_cycle(job, problems);
    check_due_date(job, problems);
    return problems;
}

std::vector<std::string> problems_of_payload(std::string_view payload) {
    Problems problems;
    check_payload(payload, problems);
    return problems;
}

}  // namespace jobstrand::schema
