#include "tools/settings/table_readers.hpp"
#include "tools/text/http_url.hpp"

#include <fmt/format.h>

#include <array>

namespace jobstrand::cli {

namespace {

constexpr std::int64_t kMostCallsOfEngine = 10'000;
constexpr std::size_t kMostEngines = 100;

constexpr std::array<std::string_view, 7> kFlowableKeys{
    "engines",
    "user",
    "passwordFile",
    "caFile",
    "timeLimit",
    "calls",
    "handlerTypes"};

}  // namespace

FlowableSettings FlowableTable::read(const toml::node& node) {
    FlowableSettings flowable;
    const toml::table* table = node.as_table();
    if (table == nullptr) {
        keys_.add_problem(node, "must be a table: [flowable]");
        return flowable;
    }
    for (const auto& [key, value] : *table) {
        read_key(std::string(key.str()), value, flowable);
    }
    if (!table->contains("engines")) {
        keys_.add_problem(node, "needs engines = [\"http://...\"]");
    }
    if (flowable.user.empty() != flowable.password_file.empty()) {
        keys_.add_problem(node, "user and passwordFile are given together, or neither of them");
    }
    return flowable;
}

void FlowableTable::read_key(
    const std::string& key,
    const toml::node& node,
    FlowableSettings& flowable
) {
    if (key == "engines") {
        read_engines(node, flowable);
    } else if (key == "user") {
        flowable.user = node.value_or("");
        if (flowable.user.empty() || flowable.user.find(':') != std::string::npos) {
            keys_.add_problem(node, "user must be a text without a colon");
        }
    } else if (key == "passwordFile") {
        flowable.password_file = keys_.absolute_path(key, node).value_or("");
    } else if (key == "caFile") {
        flowable.ca_file = keys_.absolute_path(key, node).value_or("");
    } else if (key == "timeLimit") {
        flowable.time_limit = keys_.time_limit(key, node).value_or(flowable.time_limit);
    } else if (key == "calls") {
        read_calls(node, flowable);
    } else if (key == "handlerTypes") {
        flowable.handler_types = texts(key, node);
    } else {
        keys_.refuse(key, node, kFlowableKeys);
    }
}

void FlowableTable::read_engines(const toml::node& node, FlowableSettings& flowable) {
    flowable.engines = texts("engines", node);
    if (flowable.engines.empty() || flowable.engines.size() > kMostEngines) {
        keys_.add_problem(node, fmt::format("engines must be 1 to {} URLs", kMostEngines));
    }
    for (const std::string& engine : flowable.engines) {
        const auto url = parse_http_url(engine);
        if (!url) {
            keys_.add_problem(node, fmt::format("engines: {} {}", engine, url.error().message));
        } else if (url.value().target.find('?') != std::string::npos) {
            keys_.add_problem(node, fmt::format("engines: {} has a query", engine));
        }
    }
}

void FlowableTable::read_calls(const toml::node& node, FlowableSettings& flowable) {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1 || number->get() > kMostCallsOfEngine) {
        keys_.add_problem(node, fmt::format("calls must be 1 to {}", kMostCallsOfEngine));
        return;
    }
    flowable.calls = static_cast<std::size_t>(number->get());
}

std::vector<std::string> FlowableTable::texts(const std::string& key, const toml::node& node) {
    std::vector<std::string> found;
    const toml::array* list = node.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto text = list->get(i)->value<std::string>();
        if (!text || text->empty()) {
            list = nullptr;
            break;
        }
        found.push_back(*text);
    }
    if (list == nullptr) {
        keys_.add_problem(node, key + " must be a list of texts");
        found.clear();
    }
    return found;
}

}  // namespace jobstrand::cli
