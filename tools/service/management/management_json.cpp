#include "tools/service/management/management_json.hpp"

#include "tools/output/record.hpp"
#include "tools/output/time_field.hpp"
#include "tools/text/percent.hpp"

#include <fmt/format.h>

namespace jobstrand::service {

std::string management_json(const schema::Job& job, const JobKind& kind, std::string_view origin) {
    using cli::text_field;
    using cli::text_or_null_field;
    using cli::time_field;
    const std::string url =
        fmt::format("{}{}/{}/{}", origin, kManagement, kind.path, percent_encoded(job.id));
    return json_of(cli::Record{
        text_field("id", job.id),
        text_field("url", url),
        text_or_null_field("correlationId", job.correlation_id),
        text_or_null_field("processInstanceId", job.process_instance_id),
        text_or_null_field("processInstanceUrl", ""),
        text_or_null_field("processDefinitionId", job.process_definition_id),
        text_or_null_field("processDefinitionUrl", ""),
        text_or_null_field("executionId", job.execution_id),
        text_or_null_field("executionUrl", ""),
        text_or_null_field("elementId", job.element_id),
        text_or_null_field("elementName", job.element_name),
        text_or_null_field("handlerType", job.handler_type),
        cli::number_field("retries", job.retries),
        text_or_null_field("exceptionMessage", job.exception_message),
        time_field("dueDate", job.due_date),
        time_field("createTime", job.create_time),
        text_or_null_field("lockOwner", job.lock_owner),
        time_field("lockExpirationTime", job.lock_expiration),
        text_field("tenantId", job.tenant_id),
    });
}

}  // namespace jobstrand::service
