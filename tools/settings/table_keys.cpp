#include "tools/settings/table_keys.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/text/nearest_name.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using schema::Duration;

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

}  // namespace jobstrand::cli
