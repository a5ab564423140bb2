#include "executor/workers/external_limits.hpp"

#include "schema/text/iso8601.hpp"

#include <chrono>

namespace jobstrand::executor {

namespace {

constexpr schema::Duration kShortest = std::chrono::milliseconds(100);
constexpr schema::Duration kLongest = std::chrono::hours(24 * 30);

}  // namespace

ExternalLimits::ExternalLimits(std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        if (problem_of(text).empty()) {
            const std::size_t mark = text.rfind('=');
            limits_[text.substr(0, mark)] =
                schema::parse_duration(std::string_view(text).substr(mark + 1)).value();
        }
    }
}

std::string ExternalLimits::problem_of(std::string_view text) {
    const std::size_t mark = text.rfind('=');
    if (mark == std::string_view::npos || mark == 0) {
        return "must be handler types with times, such as \"mail=PT30S\"";
    }
    const auto limit = schema::parse_duration(text.substr(mark + 1));
    if (!limit) {
        return limit.error().message;
    }
    return limit.value() < kShortest || limit.value() > kLongest ? "must be PT0.1S to P30D"
                                                                 : std::string();
}

std::optional<schema::Duration> ExternalLimits::of(std::string_view handler_type) const {
    if (const auto found = limits_.find(handler_type); found != limits_.end()) {
        return found->second;
    }
    // The longest beginning counts.
    for (std::string_view start = handler_type;; start.remove_suffix(1)) {
        if (const auto found = limits_.find(std::string(start) + '*'); found != limits_.end()) {
            return found->second;
        }
        if (start.empty()) {
            return std::nullopt;
        }
    }
}

std::vector<std::string> ExternalLimits::names() const {
    std::vector<std::string> names;
    for (const auto& [name, limit] : limits_) {
        names.push_back(name);
    }
    return names;
}

}  // namespace jobstrand::executor
