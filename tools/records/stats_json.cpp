#include "tools/records/stats_json.hpp"

#include "tools/output/record.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace jobstrand::cli {

using deadletter::PlaceCount;
using persistence::Node;
using persistence::NodeIdentity;
using persistence::NodeLoad;
using persistence::UnservedJobs;
using schema::RunSums;

namespace {

[[nodiscard]] RecordField unserved_field(const std::vector<UnservedJobs>& unserved) {
    std::vector<std::string> kinds;
    for (const auto& [kind, jobs] : unserved) {
        kinds.push_back(json_of(Record{
            text_field("handlerType", kind.handler_type),
            text_or_null_field("needs", kind.needs),
            text_or_null_field("category", kind.category),
            text_or_null_field("tenantId", kind.tenant_id),
            text_or_null_field("processDefinitionId", kind.process_definition_id),
            field_types::shown("priority", kind.priority, timers::Zone::utc()),
            number_field("jobs", jobs),
        }));
    }
    return array_field("unserved", kinds);
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
    return array_field("external", objects);
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
        record_field("places", places),
        record_field("locked", locked),
        unserved_field(unserved),
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

namespace {

[[nodiscard]] FieldValue<RunSums> percentile_of(schema::TimeHistogram RunSums::*times, double at) {
    return [times, at](const RunSums& sums) { return (sums.*times).percentile(at); };
}

[[nodiscard]] const Fields<RunSums>& sums_fields() {
    static const Fields<RunSums> all{
        {.name = "begun",
         .value = &RunSums::begun,
         .meaning = "Jobs whose first attempt began",
         .column = {.heading = "BEGUN"}},
        {.name = "completed",
         .value = &RunSums::completed,
         .meaning = "Attempts that succeeded",
         .column = {.heading = "COMPLETED"}},
        {.name = "failed",
         .value = &RunSums::failed,
         .meaning = "Attempts that failed",
         .column = {.heading = "FAILED"}},
        {.name = "dead",
         .value = &RunSums::dead,
         .meaning = "Jobs that became dead letters",
         .column = {.heading = "DEAD"}},
        {.name = "waitP50",
         .value = percentile_of(&RunSums::waited, 0.5),
         .meaning = "Seconds that attempts waited from when they could run: half of them no longer",
         .column = {.heading = "WAIT P50", .rank = 2}},
        {.name = "waitP95",
         .value = percentile_of(&RunSums::waited, 0.95),
         .meaning = "95 % of them no longer",
         .column = {.heading = "WAIT P95", .rank = 1}},
        {.name = "waitP99",
         .value = percentile_of(&RunSums::waited, 0.99),
         .meaning = "99 % of them no longer",
         .column = {.heading = "WAIT P99", .rank = 3}},
        {.name = "runP50",
         .value = percentile_of(&RunSums::ran, 0.5),
         .meaning = "Seconds that attempts took: half of them no longer",
         .column = {.heading = "RUN P50", .rank = 2}},
        {.name = "runP95",
         .value = percentile_of(&RunSums::ran, 0.95),
         .meaning = "95 % of them no longer",
         .column = {.heading = "RUN P95", .rank = 1}},
        {.name = "runP99",
         .value = percentile_of(&RunSums::ran, 0.99),
         .meaning = "99 % of them no longer",
         .column = {.heading = "RUN P99", .rank = 3}},
    };
    return all;
}

}  // namespace

const Fields<RatePoint>& rate_fields() {
    static const Fields<RatePoint> all = joined(
        Fields<RatePoint>{
            {.name = "time",
             .value = [](const RatePoint& point) { return point.span.at; },
             .meaning = "When the span begins",
             .column = {.heading = "TIME"}},
            {.name = "seconds",
             .value =
                 [](const RatePoint& point) {
                     return std::chrono::duration_cast<std::chrono::seconds>(point.length).count();
                 },
             .meaning = "How long it is; the last one may still be under way",
             .column = {.heading = "SECONDS"}},
        },
        fields_of_part<RatePoint>(
            sums_fields(), [](const RatePoint& point) -> const RunSums& { return point.span.sums; }
        )
    );
    return all;
}

const Fields<TypeRates>& type_rates_fields() {
    static const Fields<TypeRates> all = joined(
        Fields<TypeRates>{
            {.name = "type",
             .value = &TypeRates::type,
             .meaning = "The handler type; empty: those behind the first hundred of a span",
             .column = {.heading = "TYPE", .width_max = 64}},
        },
        fields_of_part<TypeRates>(sums_fields(), &TypeRates::sums)
    );
    return all;
}

namespace {

/// nullopt: the node takes all.
[[nodiscard]] std::optional<Record> scope_of(const Node& node) {
    const schema::ServedScope& scope = node.scope;
    Record fields;
    if (!schema::has_all_priorities(scope)) {
        fields.push_back(number_field("priorityMin", scope.priority_min));
        fields.push_back(number_field("priorityMax", scope.priority_max));
    }
    const auto add = [&](std::string_view name, const std::vector<std::string>& values) {
        if (!values.empty()) {
            fields.push_back(texts_field(name, values));
        }
    };
    add("categories", scope.categories);
    add("tenants", scope.tenants);
    add("definitions", scope.definitions);
    return fields.empty() ? std::nullopt : std::optional(fields);
}

/// A field of a part of the node.
template <typename Part, typename Member>
[[nodiscard]] auto of_part(Part Node::*part, Member member) {
    return [part, member](const Node& node) { return node.*part.*member; };
}

}  // namespace

const Fields<Node>& node_fields() {
    static const Fields<Node> all{
        {.name = "node",
         .value = of_part(&Node::identity, &NodeIdentity::node),
         .column = {.heading = "NODE", .width_max = 64}},
        {.name = "state",
         .value = &Node::state,
         .meaning = "running, draining, or lost: its process has died",
         .column = {.heading = "STATE"}},
        {.name = "running",
         .value = of_part(&Node::load, &NodeLoad::running),
         .column = {.heading = "RUNNING"}},
        {.name = "workers",
         .value = of_part(&Node::load, &NodeLoad::workers),
         .column = {.heading = "WORKERS", .rank = 2}},
        {.name = "held",
         .value = of_part(&Node::load, &NodeLoad::held),
         .column = {.heading = "HELD", .rank = 1}},
        {.name = "started",
         .value = &Node::started,
         .column = {.heading = "STARTED", .rank = 3},
         .place = 1},
        {.name = "leaseUntil",
         .value = &Node::lease_until,
         .column = {.heading = "LEASE ENDS", .rank = 4},
         .place = 1},
        {.name = "standstill",
         .value = &Node::standstill,
         .meaning = "Why it does not get on, as it says; null: it does",
         .column =
             {.heading = "STANDS STILL", .width_max = 80, .is_optional = true, .width_least = 16},
         .is_null_if_empty = true},
        {.name = "host",
         .value = of_part(&Node::identity, &NodeIdentity::host),
         .column = {.heading = "HOST", .rank = 6},
         .place = 2},
        {.name = "process",
         .value = of_part(&Node::identity, &NodeIdentity::process),
         .column = {.heading = "PROCESS", .rank = 7},
         .place = 2},
        {.name = "version",
         .value = of_part(&Node::identity, &NodeIdentity::version),
         .column = {.heading = "VERSION", .rank = 8},
         .place = 2},
        {.name = "handlerTypes",
         .value = &Node::handler_types,
         .column = {.heading = "SERVES", .width_max = 80, .rank = 5, .width_least = 16},
         .place = 3},
        {.name = "scope", .value = scope_of, .meaning = "null: it takes all"},
        {.name = "acquiresJobs", .value = [](const Node& node) { return node.fetching.jobs; }},
        {.name = "movesTimers", .value = [](const Node& node) { return node.fetching.timers; }},
    };
    return all;
}

}  // namespace jobstrand::cli
