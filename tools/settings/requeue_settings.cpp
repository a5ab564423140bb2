#include "tools/settings/table_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using deadletter::RequeueRule;

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
