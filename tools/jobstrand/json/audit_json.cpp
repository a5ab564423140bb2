#include "tools/jobstrand/json/audit_json.hpp"

#include "tools/jobstrand/output/time_field.hpp"

namespace jobstrand::cli {

Record record_of(const persistence::AuditEntry& entry) {
    Record record{
        text_field("id", entry.id),
        time_field("time", entry.time),
        text_field("who", entry.action.who),
        text_field("via", entry.action.via),
        text_field("action", entry.action.action),
        text_or_null_field("arguments", entry.action.arguments),
        text_or_null_field("reason", entry.action.reason),
        text_or_null_field("result", entry.result),
    };
    if (entry.changed) {
        record.push_back(number_field("changed", *entry.changed));
    } else {
        record.push_back({.name = "changed", .json = "null", .text = {}});
    }
    return record;
}

}  // namespace jobstrand::cli
