#include "tools/jobstrand/json/node_json.hpp"

#include "tools/jobstrand/output/time_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::cli {

namespace {

[[nodiscard]] RecordField types_field(const std::vector<std::string>& types) {
    std::vector<std::string> texts;
    for (const std::string& type : types) {
        texts.push_back(text_field("", type).json);
    }
    return {
        .name = "handlerTypes",
        .json = fmt::format("[{}]", fmt::join(texts, ",")),
        .text = fmt::format("{}", fmt::join(types, " "))};
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
        text_field("host", node.identity.host),
        number_field("process", node.identity.process),
        text_field("version", node.identity.version),
        types_field(node.handler_types),
    };
}

}  // namespace jobstrand::cli
