#include "tools/records/stats_json.hpp"

#include "tools/output/time_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

namespace jobstrand::cli {

namespace {

using deadletter::PlaceCount;
using persistence::UnservedJobs;

[[nodiscard]] std::string list_of(const std::vector<UnservedJobs>& unserved) {
    std::vector<std::string> kinds;
    for (const auto& [kind, jobs] : unserved) {
        kinds.push_back(json_of(Record{
            text_field("handlerType", kind.handler_type),
            text_or_null_field("needs", kind.needs),
            text_or_null_field("category", kind.category),
            text_or_null_field("tenantId", kind.tenant_id),
            text_or_null_field("processDefinitionId", kind.process_definition_id),
            kind.priority ? number_field("priority", *kind.priority)
                          : text_or_null_field("priority", {}),
            number_field("jobs", jobs),
        }));
    }
    return fmt::format("[{}]", fmt::join(kinds, ","));
}

}  // namespace

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

Record record_of(const std::vector<PlaceCount>& counts, const std::vector<UnservedJobs>& unserved) {
    Record places;
    Record locked;
    for (const PlaceCount& count : counts) {
        places.push_back(number_field(name_of(count.place), count.jobs));
        if (count.locked) {
            locked.push_back(number_field(name_of(count.place), *count.locked));
        }
    }
    return {
        {.name = "places", .json = json_of(places), .text = {}},
        {.name = "locked", .json = json_of(locked), .text = {}},
        {.name = "unserved", .json = list_of(unserved), .text = {}},
    };
}

Record record_of_bounds(const std::vector<PlaceCount>& counts) {
    Record looked_at;
    Record as_of;
    for (const PlaceCount& count : counts) {
        if (count.looked_at) {
            looked_at.push_back(
                number_field(name_of(count.place), static_cast<std::int64_t>(*count.looked_at))
            );
        }
        if (count.as_of) {
            as_of.push_back(time_field(name_of(count.place), *count.as_of));
        }
    }
    return {record_field("lookedAt", looked_at), record_field("asOf", as_of)};
}

Record record_of(
    const std::vector<persistence::TypeRuns>& last_minute,
    const std::vector<deadletter::ExternalTopic>& external
) {
    std::int64_t runs = 0;
    std::int64_t failed = 0;
    for (const persistence::TypeRuns& type : last_minute) {
        runs += type.runs;
        failed += type.failed;
    }
    return {
        number_field("runsLastMinute", runs),
        number_field("failedLastMinute", failed),
        external_field(external),
    };
}

}  // namespace jobstrand::cli
