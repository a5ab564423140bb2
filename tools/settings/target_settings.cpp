#include "tools/settings/table_readers.hpp"
#include "tools/text/http_url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
