#include "tools/jobstrand/json/node_json.hpp"

#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::cli {

namespace {

[[nodiscard]] RecordField list_field(std::string_view name, const std::vector<std::string>& list) {
    std::vector<std::string> texts;
    for (const std::string& item : list) {
        texts.push_back(text_field("", item).json);
    }
    return {
        .name = name,
        .json = fmt::format("[{}]", fmt::join(texts, ",")),
        .text = fmt::format("{}", fmt::join(list, " "))};
}

/// Null where the node takes all.
[[nodiscard]] RecordField scope_field(const schema::ServedScope& scope) {
    Record fields;
    if (!scope.priorities.is_all()) {
        fields.push_back(number_field("priorityMin", scope.priorities.least));
        fields.push_back(number_field("priorityMax", scope.priorities.most));
    }
    const auto add = [&](std::string_view name, const std::vector<std::string>& values) {
        if (!values.empty()) {
            fields.push_back(list_field(name, values));
        }
    };
    add("categories", scope.categories);
    add("tenants", scope.tenants);
    add("definitions", scope.definitions);
    RecordField field = text_or_null_field("scope", {});
    if (!fields.empty()) {
        field.json = json_of(fields);
        field.text = field.json;
    }
    return field;
}

[[nodiscard]] RecordField count_field(std::string_view name, std::size_t count) {
    return number_field(name, static_cast<std::int64_t>(count));
}

}  // namespace

Record record_of(const persistence::Node& node) {
    return {
        text_field("node", node.identity.node),
        text_field("state", name_of(node.state)),
        count_field("running", node.load.running),
        count_field("workers", node.load.workers),
        count_field("held", node.load.held),
        time_field("started", node.started),
        time_field("leaseUntil", node.lease_until),
        text_or_null_field("standstill", node.standstill),
        text_field("host", node.identity.host),
        number_field("process", node.identity.process),
        text_field("version", node.identity.version),
        list_field("handlerTypes", node.handler_types),
        scope_field(node.scope),
        flag_field("acquiresJobs", node.fetching.jobs),
        flag_field("movesTimers", node.fetching.timers),
    };
}

}  // namespace jobstrand::cli
