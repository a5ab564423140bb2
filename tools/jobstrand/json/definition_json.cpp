#include "tools/jobstrand/json/definition_json.hpp"

namespace jobstrand::cli {

Record record_of(const schema::JobDefinition& definition) {
    const auto exclusive = [&]() -> RecordField {
        return definition.exclusive ? flag_field("exclusive", *definition.exclusive)
                                    : RecordField{.name = "exclusive", .json = "null", .text = {}};
    };
    const auto override_priority = [&]() -> RecordField {
        return definition.override_priority
                   ? number_field("overridePriority", *definition.override_priority)
                   : RecordField{.name = "overridePriority", .json = "null", .text = {}};
    };
    return {
        text_field("name", text_of(definition.name)),
        text_field("processDefinitionId", definition.name.definition),
        text_or_null_field("elementId", definition.name.element),
        text_or_null_field("handlerType", definition.name.type),
        text_or_null_field("priority", definition.priority),
        override_priority(),
        text_or_null_field("retryCycle", definition.retry_cycle),
        exclusive(),
    };
}

}  // namespace jobstrand::cli
