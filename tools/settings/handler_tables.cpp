#include "tools/settings/table_readers.hpp"
#include "tools/text/http_address.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace jobstrand::cli {

namespace {

/// Names of variables that the handler sets itself.
constexpr std::string_view kReservedPrefix = "JOBSTRAND_";

constexpr std::array<std::string_view, 5> kKeys{
    "program",
    "args",
    "timeLimit",
    "workingDirectory",
    "environment"};

}  // namespace

Commands CommandTables::read(const toml::node& node) {
    Commands commands;
    const toml::table* tables = node.as_table();
    if (tables == nullptr) {
        keys_.add_problem(node, "commands must be tables: [commands.NAME]");
        return commands;
    }
    for (const auto& [name, command] : *tables) {
        keys_.enter(name.str());
        if (const toml::table* table = command.as_table()) {
            read_command(std::string(name.str()), *table, commands);
        } else {
            keys_.add_problem(command, "must be a table: [commands.NAME]");
        }
    }
    return commands;
}

void CommandTables::read_command(
    const std::string& name,
    const toml::table& table,
    Commands& commands
) {
    const std::size_t problems_before = problems().size();
    CommandSettings command;
    for (const auto& [key, node] : table) {
        read_key(std::string(key.str()), node, command);
    }
    if (!table.contains("program")) {
        keys_.add_problem(table, "needs program = \"/path/to/program\"");
    }
    if (problems().size() == problems_before) {
        commands.emplace(name, std::move(command));
    }
}

void CommandTables::read_key(
    const std::string& key,
    const toml::node& node,
    CommandSettings& command
) {
    if (key == "program") {
        command.program = keys_.absolute_path(key, node).value_or("");
    } else if (key == "args") {
        read_arguments(node, command);
    } else if (key == "timeLimit") {
        command.time_limit = keys_.time_limit(key, node).value_or(command.time_limit);
    } else if (key == "workingDirectory") {
        command.working_directory = keys_.absolute_path(key, node).value_or("");
    } else if (key == "environment") {
        read_environment(node, command);
    } else {
        keys_.refuse(key, node, kKeys);
    }
}

void CommandTables::read_arguments(const toml::node& node, CommandSettings& command) {
    const toml::array* list = node.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto* text = list->get(i)->as_string();
        if (text == nullptr || has_nul(text->get())) {
            list = nullptr;
            break;
        }
        command.arguments.push_back(text->get());
    }
    if (list == nullptr) {
        keys_.add_problem(node, "args must be a list of texts without NUL");
    }
}

void CommandTables::read_environment(const toml::node& node, CommandSettings& command) {
    const toml::table* variables = node.as_table();
    if (variables == nullptr) {
        keys_.add_problem(node, "environment must be a table of texts");
        return;
    }
    for (const auto& [key, value] : *variables) {
        const std::string name(key.str());
        const auto* text = value.as_string();
        if (name.empty() || has_nul(name) || name.find('=') != std::string::npos) {
            keys_.add_problem(value, "environment has a name that no variable can have");
        } else if (name.starts_with(kReservedPrefix)) {
            keys_.add_problem(value, fmt::format("{} is set by Jobstrand itself", name));
        } else if (text == nullptr || has_nul(text->get())) {
            keys_.add_problem(
                value, fmt::format("environment.{} must be a text without NUL", name)
            );
        } else {
            command.environment.emplace(name, text->get());
        }
    }
}

namespace {

constexpr std::int64_t kMostCalls = 100'000;

constexpr std::array<std::string_view, 9> kTargetKeys{
    "url",
    "secretFile",
    "caFile",
    "timeLimit",
    "calls",
    "retryStatuses",
    "waitsUseRetries",
    "callbackWithin",
    "headers"};

/// Headers that the handler sets itself.
constexpr std::array<std::string_view, 7> kReserved{
    "host",
    "user-agent",
    "content-type",
    "content-length",
    "transfer-encoding",
    "connection",
    "traceparent"};

/// RFC 9110, 5.6.2.
[[nodiscard]] bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) !=
                   std::string_view::npos;
    });
}

[[nodiscard]] bool is_field_value(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c < 0x7f; });
}

[[nodiscard]] bool is_reserved(std::string name) {
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return std::ranges::count(kReserved, name) > 0 || name.starts_with("jobstrand-") ||
           name.starts_with("webhook-");
}

}  // namespace

Targets TargetTables::read(const toml::node& node) {
    Targets targets;
    const toml::table* tables = node.as_table();
    if (tables == nullptr) {
        keys_.add_problem(node, "targets must be tables: [targets.NAME]");
        return targets;
    }
    for (const auto& [name, target] : *tables) {
        keys_.enter(name.str());
        if (const toml::table* table = target.as_table()) {
            read_target(std::string(name.str()), *table, targets);
        } else {
            keys_.add_problem(target, "must be a table: [targets.NAME]");
        }
    }
    return targets;
}

void TargetTables::read_target(
    const std::string& name,
    const toml::table& table,
    Targets& targets
) {
    const std::size_t problems_before = problems().size();
    TargetSettings target;
    for (const auto& [key, node] : table) {
        read_key(std::string(key.str()), node, target);
    }
    if (!table.contains("url")) {
        keys_.add_problem(table, "needs url = \"https://...\"");
    }
    if (problems().size() == problems_before) {
        targets.emplace(name, std::move(target));
    }
}

void TargetTables::read_key(
    const std::string& key,
    const toml::node& node,
    TargetSettings& target
) {
    if (key == "url") {
        read_url(node, target);
    } else if (key == "secretFile") {
        target.secret_file = keys_.absolute_path(key, node).value_or("");
    } else if (key == "caFile") {
        target.ca_file = keys_.absolute_path(key, node).value_or("");
    } else if (key == "timeLimit") {
        target.time_limit = keys_.time_limit(key, node).value_or(target.time_limit);
    } else if (key == "calls") {
        read_calls(node, target);
    } else if (key == "retryStatuses") {
        read_statuses(node, target);
    } else if (key == "waitsUseRetries") {
        if (!node.is_boolean()) {
            keys_.add_problem(node, "waitsUseRetries must be true or false");
        }
        target.waits_use_retries = node.value_or(false);
    } else if (key == "callbackWithin") {
        target.call_back_within = keys_.time_limit(key, node);
    } else if (key == "headers") {
        read_headers(node, target);
    } else {
        keys_.refuse(key, node, kTargetKeys);
    }
}

void TargetTables::read_url(const toml::node& node, TargetSettings& target) {
    target.url = node.value_or("");
    if (const auto url = parse_http_url(target.url); !url) {
        keys_.add_problem(node, "url " + url.error().message);
    }
}

void TargetTables::read_calls(const toml::node& node, TargetSettings& target) {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < 1 || number->get() > kMostCalls) {
        keys_.add_problem(node, fmt::format("calls must be 1 to {}", kMostCalls));
        return;
    }
    target.calls = static_cast<std::size_t>(number->get());
}

void TargetTables::read_statuses(const toml::node& node, TargetSettings& target) {
    const toml::array* list = node.as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const auto status = list->get(i)->value<std::int64_t>().value_or(0);
        if (status < 400 || status > 499) {
            list = nullptr;
            break;
        }
        target.retry_statuses.push_back(static_cast<int>(status));
    }
    if (list == nullptr) {
        keys_.add_problem(node, "retryStatuses must be a list of numbers from 400 to 499");
    }
}

void TargetTables::read_headers(const toml::node& node, TargetSettings& target) {
    const toml::table* headers = node.as_table();
    if (headers == nullptr) {
        keys_.add_problem(node, "headers must be a table of texts");
        return;
    }
    for (const auto& [key, value] : *headers) {
        const std::string name(key.str());
        const auto* text = value.as_string();
        if (!is_token(name)) {
            keys_.add_problem(value, "headers has a name that no header can have");
        } else if (is_reserved(name)) {
            keys_.add_problem(value, fmt::format("{} is set by Jobstrand itself", name));
        } else if (text == nullptr || !is_field_value(text->get())) {
            keys_.add_problem(
                value, fmt::format("headers.{} must be a text of visible ASCII characters", name)
            );
        } else {
            target.headers.emplace(name, text->get());
        }
    }
}

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
