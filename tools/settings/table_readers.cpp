#include "tools/settings/table_readers.hpp"

#include "schema/text/time_text.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace jobstrand::cli {

using namespace std::chrono_literals;
using deadletter::RequeueRule;
using schema::Duration;

namespace {

constexpr Duration kShortestLimit = 1ms;
constexpr Duration kLongestLimit = 24h;

[[nodiscard]] std::optional<Duration> duration_in(const toml::node& node) {
    if (const auto* number = node.as_integer()) {
        return Duration(number->get());
    }
    const auto* text = node.as_string();
    if (text == nullptr || !text->get().starts_with('P')) {
        return std::nullopt;
    }
    const auto parsed = schema::parse_duration(text->get());
    return parsed ? std::optional(parsed.value()) : std::nullopt;
}

}  // namespace

bool has_nul(std::string_view text) {
    return text.find('\0') != std::string_view::npos;
}

void TableKeys::add_problem(const toml::node& node, const std::string& text) {
    const std::string where = name_.empty() ? "" : fmt::format("[{}.{}] ", kind_, name_);
    problems_.push_back({static_cast<int>(node.source().begin.line), printable(where) + text});
}

void TableKeys::refuse(
    const std::string& key,
    const toml::node& node,
    std::span<const std::string_view> keys
) {
    if (find_setting(key).setting != nullptr) {
        add_problem(node, fmt::format("{} belongs at the top of the file, before any table", key));
        return;
    }
    add_problem(
        node,
        fmt::format("there is no key {}; did you mean {}?", printable(key), nearest_name(key, keys))
    );
}

std::optional<Duration> TableKeys::time_limit(std::string_view key, const toml::node& node) {
    return duration(key, node, kShortestLimit, kLongestLimit);
}

std::optional<Duration>
TableKeys::duration(std::string_view key, const toml::node& node, Duration least, Duration most) {
    const auto length = duration_in(node);
    if (length && *length >= least && *length <= most) {
        return length;
    }
    add_problem(
        node,
        fmt::format(
            "{} must be milliseconds or an ISO 8601 duration such as \"PT60S\", {} to {}",
            key,
            schema::format_duration(least),
            schema::format_duration(most)
        )
    );
    return std::nullopt;
}

std::optional<std::string> TableKeys::absolute_path(std::string_view key, const toml::node& node) {
    const auto* text = node.as_string();
    if (text == nullptr || !text->get().starts_with('/') || has_nul(text->get())) {
        add_problem(node, fmt::format("{} must be an absolute path", key));
        return std::nullopt;
    }
    return text->get();
}

namespace {

constexpr std::array<std::string_view, 4> kDefinitionKeys{
    "priority",
    "retryCycle",
    "category",
    "exclusive"};

}  // namespace

Definitions DefinitionTables::read(const toml::node& node) {
    Definitions definitions;
    const toml::table* tables = node.as_table();
    if (tables == nullptr) {
        keys_.add_problem(node, "definitions must be tables: [definitions.\"NAME\"]");
        return definitions;
    }
    for (const auto& [name, definition] : *tables) {
        keys_.enter(name.str());
        if (const toml::table* table = definition.as_table()) {
            read_definition(std::string(name.str()), *table, definitions);
        } else {
            keys_.add_problem(definition, "must be a table: [definitions.\"NAME\"]");
        }
    }
    return definitions;
}

void DefinitionTables::read_definition(
    const std::string& name,
    const toml::table& table,
    Definitions& definitions
) {
    const std::size_t problems_before = problems().size();
    schema::JobDefinition definition;
    try {
        definition.name = schema::job_definition_named(name);
    } catch (const std::invalid_argument& mistake) {
        keys_.add_problem(table, mistake.what());
    }
    for (const auto& [key, node] : table) {
        read_key(std::string(key.str()), node, definition);
    }
    if (const std::string mistake = mistake_in(definition); !mistake.empty()) {
        keys_.add_problem(table, mistake);
    }
    if (problems().size() == problems_before) {
        definitions.push_back(std::move(definition));
    }
}

void DefinitionTables::read_key(
    const std::string& key,
    const toml::node& node,
    schema::JobDefinition& definition
) {
    const auto* const text = node.as_string();
    const auto* const number = node.as_integer();
    const auto* const flag = node.as_boolean();
    if (key == "priority" && (text != nullptr || number != nullptr)) {
        definition.priority = text != nullptr ? text->get() : std::to_string(number->get());
    } else if (key == "retryCycle" && text != nullptr) {
        definition.retry_cycle = text->get();
    } else if (key == "category" && text != nullptr) {
        definition.category = text->get();
    } else if (key == "exclusive" && flag != nullptr) {
        definition.exclusive = flag->get();
    } else if (key == "priority") {
        keys_.add_problem(node, "priority must be a whole number, or an expression in quotes");
    } else if (key == "retryCycle") {
        keys_.add_problem(node, "retryCycle must be a text such as \"R5/PT5M\"");
    } else if (key == "category") {
        keys_.add_problem(node, "category must be a text, which may hold expressions");
    } else if (key == "exclusive") {
        keys_.add_problem(node, "exclusive must be true or false");
    } else {
        keys_.refuse(key, node, kDefinitionKeys);
    }
}

namespace {

constexpr std::size_t kLongestText = 255;

struct TextKey {
    std::string_view key;
    std::string RequeueRule::*field;
};
constexpr std::array kTextKeys{
    TextKey{"handlerType", &RequeueRule::handler_type},
    TextKey{"errorClass", &RequeueRule::error_class},
    TextKey{"message", &RequeueRule::message},
    TextKey{"windowStart", &RequeueRule::window_start},
    TextKey{"windowEnd", &RequeueRule::window_end},
};

struct DurationKey {
    std::string_view key;
    schema::Duration RequeueRule::*field;
    schema::Duration least;
    schema::Duration most;
};
constexpr std::array kDurationKeys{
    DurationKey{"wait", &RequeueRule::wait, 1s, 365 * 24h},
    DurationKey{"until", &RequeueRule::until, 1s, 365 * 24h},
    DurationKey{"spread", &RequeueRule::spread, 0s, 24h},
};

constexpr std::array<std::string_view, 9> kRequeueKeys{
    "handlerType",
    "errorClass",
    "message",
    "wait",
    "until",
    "retries",
    "spread",
    "windowStart",
    "windowEnd"};

}  // namespace

std::vector<RequeueRule> RequeueTables::read(const toml::node& node) {
    std::vector<RequeueRule> rules;
    const toml::table* tables = node.as_table();
    if (tables == nullptr) {
        keys_.add_problem(node, "requeues must be tables: [requeues.NAME]");
        return rules;
    }
    for (const auto& [name, content] : *tables) {
        keys_.enter(name.str());
        const toml::table* table = content.as_table();
        if (table == nullptr) {
            keys_.add_problem(content, "must be a table: [requeues.NAME]");
            continue;
        }
        const std::size_t problems_before = problems().size();
        RequeueRule rule{.name = std::string(name.str())};
        read_rule(rule, *table);
        if (problems().size() == problems_before) {
            rules.push_back(std::move(rule));
        }
    }
    return rules;
}

void RequeueTables::read_rule(RequeueRule& rule, const toml::table& table) {
    const std::size_t problems_before = problems().size();
    for (const auto& [key, node] : table) {
        read_key(std::string(key.str()), node, rule);
    }
    const std::string mistake = mistake_in(rule);
    if (problems().size() == problems_before && !mistake.empty()) {
        keys_.add_problem(table, mistake);
    }
}

void RequeueTables::read_key(const std::string& key, const toml::node& node, RequeueRule& rule) {
    const auto* const text_key = std::ranges::find(kTextKeys, key, &TextKey::key);
    const auto* const duration_key = std::ranges::find(kDurationKeys, key, &DurationKey::key);
    if (text_key != kTextKeys.end()) {
        const auto* const text = node.as_string();
        if (text == nullptr || text->get().empty() || text->get().size() > kLongestText) {
            keys_.add_problem(
                node, fmt::format("{} must be a text of 1 to {} bytes", key, kLongestText)
            );
            return;
        }
        rule.*text_key->field = text->get();
    } else if (duration_key != kDurationKeys.end()) {
        const auto length = keys_.duration(key, node, duration_key->least, duration_key->most);
        rule.*duration_key->field = length.value_or(rule.*duration_key->field);
    } else if (key == "retries") {
        const auto* const number = node.as_integer();
        rule.retries = number == nullptr
                           ? 0
                           : static_cast<int>(std::clamp<std::int64_t>(number->get(), 0, 1 << 30));
    } else {
        keys_.refuse(key, node, kRequeueKeys);
    }
}

}  // namespace jobstrand::cli
