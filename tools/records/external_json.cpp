#include "tools/records/external_json.hpp"

#include "tools/output/time_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::cli {

Record record_of(const deadletter::ExternalTopic& topic) {
    return {
        text_field("topic", topic.topic),
        number_field("waiting", topic.waiting),
        time_field("waitsSince", topic.waits_since),
        number_field("locked", topic.locked),
        number_field("workers", topic.workers),
        time_field("lastAsked", topic.last_asked),
        text_or_null_field("lastWorker", topic.last_worker),
    };
}

RecordField external_field(const std::vector<deadletter::ExternalTopic>& topics) {
    std::vector<std::string> objects;
    for (const deadletter::ExternalTopic& topic : topics) {
        objects.push_back(json_of(record_of(topic)));
    }
    const std::string json = fmt::format("[{}]", fmt::join(objects, ","));
    return {.name = "external", .json = json, .text = json};
}

}  // namespace jobstrand::cli
