#include "tools/engine/option_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::engine {

namespace {

/// How an executor names what an option is called otherwise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kWords{{
    {"lock_owner length", "the length of lock_owner"},
    {"core_pool_size", "threads"},
    {"order.aging", "priority_aging"},
    {"order.by_priority", "acquire_by_priority"},
    {"order.timers_first", "prefer_timers"},
    {"order.tenants_in_turn", "tenants_in_turn"},
    {"lock_granularity page", "claim_pages"},
    {"scope.priorities.least", "scope.priority_min"},
    {"scope.priorities.most", "scope.priority_max"},
    {"fire_ahead", "timer_fire_ahead"},
    {"retry.message_wait", "retry.wait"},
    {"retry.default_attempts", "retry.attempts"},
    {"history_retention.age", "history.retention"},
    {"history_retention.runs_age", "history.last_runs_retention"},
    {"historyCleanupBatchWindowStartTime and historyCleanupBatchWindowEndTime",
     "history.cleanup_from and history.cleanup_to"},
}};

/// Made of an option that another setting is made of too.
constexpr std::array<std::string_view, 2> kSecondOfOption{"max_pool_size", "retry.timer_wait"};

bool is_told_already(const std::string& mistake) {
    return std::ranges::any_of(kSecondOfOption, [&](std::string_view name) {
        return mistake.starts_with(name);
    });
}

std::string in_words_of_options(std::string mistake) {
    for (const auto& [setting, option] : kWords) {
        for (std::size_t at = 0; (at = mistake.find(setting, at)) != std::string::npos;) {
            mistake.replace(at, setting.size(), option);
            at += option.size();
        }
    }
    return mistake;
}

}  // namespace

void require_sound(const WiringOptions& options) {
    std::vector<std::string> mistakes = executor::validate(options.executor);
    std::erase_if(mistakes, is_told_already);
    std::ranges::transform(mistakes, mistakes.begin(), in_words_of_options);
    const deadletter::DeadLetterRetention& dead = options.policies.retention;
    if (dead.age < schema::Duration{0} || dead.rows < 0) {
        mistakes.emplace_back(
            "history.dead_letter_retention and history.dead_letter_max_rows must not be negative"
        );
    }
    if (!mistakes.empty()) {
        throw std::invalid_argument(fmt::format("{}", fmt::join(mistakes, "; ")));
    }
}

}  // namespace jobstrand::engine
