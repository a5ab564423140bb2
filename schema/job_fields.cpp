#include "schema/job_fields.hpp"

#include "schema/limits.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::schema {
namespace {

bool is_suspended(JobPlace place) {
    return place == JobPlace::suspended;
}

bool is_executable(JobPlace place) {
    return place == JobPlace::executable;
}

bool is_dead(JobPlace place) {
    return place == JobPlace::dead_letter;
}

bool may_be_external(JobPlace place) {
    return !is_executable(place);
}

bool has_retries(JobPlace place) {
    return !is_dead(place);
}

constexpr std::array kFields{
    JobField{
        .column = {"ID_", ColumnKind::id, "", true},
        .member = &Job::id,
        .name = "id",
        .json_rank = 1,
        .is_settable = true,
        .add = {"--id", "The id (default: a new UUID)", "ID", 16},
    },
    JobField{
        .column = {"REV_", ColumnKind::integer, "1"},
        .member = &Job::revision,
        .name = "revision",
    },
    JobField{
        .column = {"CATEGORY_", ColumnKind::name},
        .member = &Job::category,
        .name = "category",
        .json_rank = 16,
        .is_settable = true,
        .add = {"--category", "A category", "NAME", 13},
        .filter = {"--category", "Category", "NAME", 5},
    },
    // Said of a new job by its place.
    JobField{
        .column = {"TYPE_", ColumnKind::name, "'message'", true},
        .member = &Job::type,
        .name = "type",
    },
    JobField{
        .column = {"LOCK_EXP_TIME_", ColumnKind::timestamp},
        .member = &Job::lock_expiration,
        .name = "lockExpirationTime",
        .is_in = has_lock,
        .json_rank = 22,
    },
    JobField{
        .column = {"LOCK_OWNER_", ColumnKind::name},
        .member = &Job::lock_owner,
        .name = "lockOwner",
        .is_in = has_lock,
        .json_rank = 21,
        .filter = {"--lock-owner", "Lock owner", "NAME", 17},
    },
    JobField{
        .column = {"EXCLUSIVE_", ColumnKind::boolean, "true"},
        .member = &Job::exclusive,
        .name = "exclusive",
        .json_rank = 18,
        .is_settable = true,
        .add = {"--not-exclusive", "May run beside its instance's jobs", "", 17},
    },
    JobField{
        .column = {"EXECUTION_ID_", ColumnKind::app_id},
        .member = &Job::execution_id,
        .name = "executionId",
        .json_rank = 13,
        .is_settable = true,
        .add = {"--execution", "The execution in the instance", "ID", 10},
        .filter = {"--execution", "Execution", "ID", 14},
    },
    JobField{
        .column = {"PROCESS_INSTANCE_ID_", ColumnKind::app_id},
        .member = &Job::process_instance_id,
        .name = "processInstanceId",
        .json_rank = 10,
        .is_settable = true,
        .add = {"--instance", "The instance that it belongs to", "ID", 7},
        .filter = {"--instance", "Process instance", "ID", 2},
    },
    JobField{
        .column = {"PROC_DEF_ID_", ColumnKind::app_id},
        .member = &Job::process_definition_id,
        .name = "processDefinitionId",
        .json_rank = 12,
        .is_settable = true,
        .add = {"--definition", "The definition of the instance", "ID", 9},
        .filter = {"--definition", "Process definition", "ID", 3},
    },
    JobField{
        .column = {"ELEMENT_ID_", ColumnKind::name},
        .member = &Job::element_id,
        .name = "elementId",
        .json_rank = 14,
        .is_settable = true,
        .add = {"--element", "The element of the definition", "ID", 11},
        .filter = {"--element", "Element", "ID", 4},
    },
    JobField{
        .column = {"ELEMENT_NAME_", ColumnKind::name},
        .member = &Job::element_name,
        .name = "elementName",
        .json_rank = 15,
        .is_settable = true,
        .add = {"--element-name", "Its name", "NAME", 12},
        .filter = {"--element-name", "Name of the element", "NAME", 15},
    },
    JobField{
        .column = {"SCOPE_ID_", ColumnKind::name},
        .member = &Job::scope_id,
        .name = "scopeId",
    },
    JobField{
        .column = {"SUB_SCOPE_ID_", ColumnKind::name},
        .member = &Job::sub_scope_id,
        .name = "subScopeId",
    },
    JobField{
        .column = {"SCOPE_TYPE_", ColumnKind::name, "scope"},
        .member = &Job::scope_type,
        .name = "scopeType",
    },
    JobField{
        .column = {"SCOPE_DEFINITION_ID_", ColumnKind::name},
        .member = &Job::scope_definition_id,
        .name = "scopeDefinitionId",
    },
    JobField{
        .column = {"CORRELATION_ID_", ColumnKind::name},
        .member = &Job::correlation_id,
        .name = "correlationId",
        .json_rank = 2,
        .is_settable = true,
        .add = {"--correlation-id", "Your own handle (default: the id)", "ID", 15},
        .filter = {"--correlation-id", "Correlation id", "ID", 7},
    },
    JobField{
        .column = {"RETRIES_", ColumnKind::integer, "3"},
        .member = &Job::retries,
        .name = "retries",
        .is_in = has_retries,
        .json_rank = 7,
        .is_settable = true,
        .least = 1,
        .most = limits::kRetryAttempts,
        .add = {"--retries", "Attempts, the first one included", "N", 4},
        .change = {"--retries", "Attempts left; 0: a dead letter", "N", 1, 0},
        .filter = {"--retries", "Retries", "N", 18},
        .filter_by = FieldFilter::range,
    },
    JobField{
        .column = {"EXCEPTION_STACK_ID_", ColumnKind::id},
        .member = &Job::exception_stack_id,
        .name = "exceptionStackId",
    },
    JobField{
        .column = {"EXCEPTION_MSG_", ColumnKind::message},
        .member = &Job::exception_message,
        .name = "exceptionMessage",
        .json_rank = 23,
        .most_characters = limits::kExceptionMessageLength,
        .filter = {"--error,--message", "Part of the exception message; case counts", "TEXT", 8},
        .filter_by = FieldFilter::part,
    },
    JobField{
        .column = {"DUEDATE_", ColumnKind::timestamp},
        .member = &Job::due_date,
        .name = "dueDate",
        .json_rank = 5,
        .is_settable = true,
        .add = {"--due", "Not before a time: a date, tomorrow 09:00, any timer text", "TIME", 3},
        .filter = {"--due", "Due", "DATE", 10},
        .filter_by = FieldFilter::period,
    },
    // Its option, and that of the series, stand among those of the series that the job begins.
    JobField{
        .column = {"REPEAT_", ColumnKind::name},
        .member = &Job::repeat,
        .name = "repeat",
        .json_rank = 6,
        .is_settable = true,
    },
    JobField{
        .column = {"HANDLER_TYPE_", ColumnKind::name},
        .member = &Job::handler_type,
        .name = "handlerType",
        .json_rank = 3,
        .is_settable = true,
        .must_be_given = true,
        .add = {"--type,--handler", "Which handler: noop, log, command, yours", "TYPE", 1},
        .filter = {"--type", "Handler type", "TYPE", 1},
    },
    JobField{
        .column = {"HANDLER_CFG_", ColumnKind::message},
        .member = &Job::payload,
        .name = "payload",
        .json_rank = 4,
        .is_settable = true,
        .most_characters = limits::kPayloadBytes,
        .add = {"--payload", "JSON, or @FILE, or - for stdin", "JSON", 2},
        .change = {"--payload", "JSON, or @FILE, or - for stdin", "JSON", 3},
    },
    JobField{
        .column = {"CUSTOM_VALUES_ID_", ColumnKind::id},
        .member = &Job::custom_values_id,
        .name = "customValuesId",
    },
    JobField{
        .column = {"CREATE_TIME_", ColumnKind::timestamp, "now"},
        .member = &Job::create_time,
        .name = "createTime",
        .json_rank = 20,
        .filter = {"--created", "Created", "DATE", 9},
        .filter_by = FieldFilter::period,
    },
    JobField{
        .column = {"TENANT_ID_", ColumnKind::name, "''"},
        .member = &Job::tenant_id,
        .name = "tenantId",
        .json_rank = 17,
        .is_settable = true,
        .add = {"--tenant", "The tenant", "ID", 14},
        .filter = {"--tenant", "Tenant", "ID", 6},
    },
    // Ours.
    JobField{
        .column = {"PRIORITY_", ColumnKind::big_integer, "0", true},
        .member = &Job::priority,
        .name = "priority",
        .json_rank = 9,
        .is_settable = true,
        .add = {"--priority", "Larger is more important", "N", 6},
        .change = {"--priority", "Larger is more important", "N", 2},
        .filter = {"--priority", "Priority", "N", 19},
        .filter_by = FieldFilter::range,
    },
    JobField{
        .column = {"ROOT_PROC_INST_ID_", ColumnKind::app_id},
        .member = &Job::root_process_instance_id,
        .name = "rootProcessInstanceId",
        .json_rank = 11,
        .is_settable = true,
        .add = {"--root-instance", "The root of that instance's hierarchy", "ID", 8},
        .filter = {"--root-instance", "Root instance", "ID", 13},
    },
    JobField{
        .column = {"DEPLOYMENT_ID_", ColumnKind::id},
        .member = &Job::deployment_id,
        .name = "deploymentId",
    },
    JobField{
        .column = {"JOB_DEF_ID_", ColumnKind::id},
        .member = &Job::job_definition_id,
        .name = "jobDefinitionId",
    },
    JobField{
        .column = {"RETRY_CYCLE_", ColumnKind::name},
        .member = &Job::retry_cycle,
        .name = "retryCycle",
        .json_rank = 8,
        .is_settable = true,
        .add = {"--retry-cycle", "R3/PT10S, or a list of waits: PT1S,PT5S", "CYCLE", 5},
        .change = {"--retry-cycle", "R3/PT10S, or PT1S,PT5S", "CYCLE", 4},
    },
    JobField{
        .column = {"ATTEMPTS_", ColumnKind::integer, "0", true},
        .member = &Job::attempts,
        .name = "attempts",
        .json_rank = 25,
    },
    JobField{
        .column = {"SUSPENDED_FROM_", ColumnKind::name},
        .member = &Job::suspended_from,
        .name = "suspendedFrom",
        .is_in = is_suspended,
    },
    JobField{
        .column = {"SERIES_", ColumnKind::id},
        .member = &Job::series,
        .name = "series",
        .json_rank = 24,
        .is_settable = true,
        .filter = {"--series", "Series", "KEY", 16},
    },
    JobField{
        .column = {"NEEDS_", ColumnKind::name},
        .member = &Job::needs,
        .name = "needs",
        .is_in = is_executable,
    },
    JobField{
        .column = {"LOST_STARTS_", ColumnKind::integer, "0", true},
        .member = &Job::lost_starts,
        .name = "lostStarts",
        .is_in = is_executable,
    },
    JobField{
        .column = {"FAILED_TIME_", ColumnKind::timestamp},
        .member = &Job::failed_time,
        .name = "failedTime",
        .is_in = is_dead,
        .json_rank = 26,
        .filter = {"--failed", "Became a dead letter", "DATE", 11},
        .filter_by = FieldFilter::period,
    },
    JobField{
        .column = {"UNIQUE_KEY_", ColumnKind::name},
        .member = &Job::unique_key,
        .name = "uniqueKey",
        .json_rank = 19,
        .is_settable = true,
        .add = {"--unique-key", "No other job has this key while this one is open", "KEY", 18},
        .filter = {"--unique-key", "Unique key", "KEY", 12},
    },
    JobField{
        .column = {"TRACE_PARENT_", ColumnKind::id},
        .member = &Job::trace_parent,
        .name = "traceparent",
        .json_rank = 27,
        .is_settable = true,
        .add = {"--traceparent", "The trace that it belongs to (W3C)", "CONTEXT", 19},
    },
    JobField{
        .column = {"CALLING_INSTANCES_", ColumnKind::names},
        .member = &Job::calling_instances,
        .name = "callingInstances",
        .json_rank = 28,
        .is_settable = true,
        .most_characters = limits::kIdLength,
        .add =
            {"--calling-instance",
             "Each that calls it, from the root's first down to its own caller",
             "ID",
             20},
    },
    JobField{
        .column = {"CANDIDATE_USERS_", ColumnKind::names},
        .member = &Job::candidate_users,
        .name = "candidateUsers",
        .is_in = may_be_external,
        .json_rank = 29,
        .is_settable = true,
        .most_characters = limits::kNameLength,
        .add = {"--candidate-user", "Each user whose worker may have it", "NAME", 21},
    },
    JobField{
        .column = {"CANDIDATE_GROUPS_", ColumnKind::names},
        .member = &Job::candidate_groups,
        .name = "candidateGroups",
        .is_in = may_be_external,
        .json_rank = 30,
        .is_settable = true,
        .most_characters = limits::kNameLength,
        .add = {"--candidate-group", "Each group whose workers may have it", "NAME", 22},
    },
};

}  // namespace

std::span<const JobField> job_fields() {
    return kFields;
}

const JobField& field_of(const JobMember& member) {
    // Each member has one, see the test.
    return *std::ranges::find(kFields, member, &JobField::member);
}

}  // namespace jobstrand::schema
