#include "tools/engine/conversions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using engine::WiringOptions;
using executor::ExecutorSettings;
using schema::AcquisitionOrder;
using schema::HistoryRetention;

/// An option of an app, and whether the engine has got it.
struct OptionRow {
    std::string name;
    std::function<void(EngineOptions&)> set;
    std::function<bool(const WiringOptions&)> is_there;
    std::function<void(EngineOptions&)> before = [](EngineOptions&) {};  ///< Without it no sense.
};

/// The member at the end of a path of members.
template <typename... Members>
auto at(Members... members) {
    return [=](auto& whole) -> auto& {
        return (whole.*....*members);
    };
}

template <typename... Members>
auto executor_at(Members... members) {
    return at(&WiringOptions::executor, members...);
}

template <typename Option, typename Setting, typename Value>
OptionRow row(std::string name, Option option, Setting setting, Value value) {
    return {
        .name = std::move(name),
        .set = [=](EngineOptions& options) { option(options) = value; },
        .is_there = [=](const WiringOptions& wiring) { return setting(wiring) == value; },
    };
}

template <typename Value>
using Given = std::type_identity_t<Value>;

template <typename Value>
OptionRow plain(
    std::string name,
    Value EngineOptions::*option,
    Value ExecutorSettings::*setting,
    Given<Value> value
) {
    return row(std::move(name), at(option), executor_at(setting), std::move(value));
}

template <typename Value>
OptionRow of_order(
    std::string name,
    Value EngineOptions::*option,
    Value AcquisitionOrder::*setting,
    Given<Value> value
) {
    return row(
        std::move(name),
        at(option),
        executor_at(&ExecutorSettings::order, setting),
        std::move(value)
    );
}

template <typename Value>
OptionRow of_scope(
    std::string name,
    Value ServedScope::*option,
    Value schema::ServedScope::*setting,
    Given<Value> value
) {
    return row(
        std::move(name),
        at(&EngineOptions::scope, option),
        executor_at(&ExecutorSettings::scope, setting),
        std::move(value)
    );
}

template <typename Value>
OptionRow of_history(
    std::string name,
    Value HistoryOptions::*option,
    Value HistoryRetention::*setting,
    Given<Value> value
) {
    return row(
        std::move(name),
        at(&EngineOptions::history, option),
        executor_at(&ExecutorSettings::history_retention, setting),
        std::move(value)
    );
}

std::vector<OptionRow> options_of_acquisition() {
    using Options = EngineOptions;
    using Settings = ExecutorSettings;
    return {
        plain("queue_size", &Options::queue_size, &Settings::queue_size, 17),
        plain("queue_bytes", &Options::queue_bytes, &Settings::queue_bytes, 17),
        plain("async_runs", &Options::async_runs, &Settings::async_runs, 17),
        plain("acquire_page", &Options::acquire_page, &Settings::acquire_page, 17),
        plain(
            "acquire_page_bytes", &Options::acquire_page_bytes, &Settings::acquire_page_bytes, 17
        ),
        plain("acquire_jobs", &Options::acquire_jobs, &Settings::acquire_async_jobs, false),
        plain("acquire_timers", &Options::acquire_timers, &Settings::acquire_timers, false),
        plain(
            "reset_expired_locks",
            &Options::reset_expired_locks,
            &Settings::reset_expired_jobs,
            false
        ),
        plain(
            "exclusive_over_hierarchies",
            &Options::exclusive_over_hierarchies,
            &Settings::exclusive_over_hierarchies,
            true
        ),
        plain(
            "instances_together", &Options::instances_together, &Settings::instances_together, true
        ),
        plain("prioritized_jobs", &Options::prioritized_jobs, &Settings::prioritized_jobs, false),
        plain(
            "record_definitions", &Options::record_definitions, &Settings::records_definitions, true
        ),
        plain(
            "tolerate_failed_expressions",
            &Options::tolerate_failed_expressions,
            &Settings::tolerates_failed_expressions,
            true
        ),
        plain("acquire_ahead", &Options::acquire_ahead, &Settings::acquire_ahead, 17ms),
        plain(
            "acquire_first_wait", &Options::acquire_first_wait, &Settings::acquire_first_wait, 17ms
        ),
        plain("queue_full_wait", &Options::queue_full_wait, &Settings::queue_full_wait, 17ms),
        plain("acquire_wait", &Options::acquire_wait, &Settings::acquire_wait, 17ms),
        of_order(
            "acquire_by_priority",
            &Options::acquire_by_priority,
            &AcquisitionOrder::by_priority,
            true
        ),
        of_order("prefer_timers", &Options::prefer_timers, &AcquisitionOrder::timers_first, true),
        of_order(
            "acquire_by_due_date",
            &Options::acquire_by_due_date,
            &AcquisitionOrder::by_due_date,
            true
        ),
        of_order(
            "tenants_in_turn", &Options::tenants_in_turn, &AcquisitionOrder::tenants_in_turn, true
        ),
    };
}

OptionRow aging() {
    OptionRow aging =
        of_order("priority_aging", &EngineOptions::priority_aging, &AcquisitionOrder::aging, 17min);
    aging.before = [](EngineOptions& options) { options.acquire_by_priority = true; };
    return aging;
}

OptionRow threads() {
    return {
        .name = "threads",
        .set = [](EngineOptions& options) { options.threads = 17; },
        .is_there =
            [](const WiringOptions& wiring) {
                return wiring.executor.core_pool_size == 17 && wiring.executor.max_pool_size == 17;
            },
    };
}

OptionRow claim_pages() {
    return {
        .name = "claim_pages",
        .set = [](EngineOptions& options) { options.claim_pages = true; },
        .is_there = [](const WiringOptions& wiring
                    ) { return wiring.executor.lock_granularity == schema::LockGranularity::page; },
    };
}

OptionRow retry_rule() {
    return {
        .name = "retry_rule",
        .set =
            [](EngineOptions& options) {
                options.retry_rule = [](const auto&, int, const auto&) { return RetryDecision{}; };
            },
        .is_there = [](const WiringOptions& wiring) { return wiring.retry_rule != nullptr; },
    };
}

OptionRow after_run() {
    return {
        .name = "hooks.after_run",
        .set = [](EngineOptions& options) { options.hooks.after_run = [](const EndedRun&) {}; },
        .is_there = [](const WiringOptions& wiring) { return wiring.on_run != nullptr; },
    };
}

std::vector<OptionRow> options_of_runs() {
    using Options = EngineOptions;
    using Settings = ExecutorSettings;
    return {
        row("database_url",
            at(&Options::database_url),
            at(&WiringOptions::database_url),
            std::string("sqlite:x")),
        row("update_schema", at(&Options::update_schema), at(&WiringOptions::update_schema), false),
        row("create_indexes", at(&Options::create_indexes), at(&WiringOptions::create_indexes), true
        ),
        plain("timer_wait", &Options::timer_wait, &Settings::timer_wait, 17ms),
        plain("timer_fire_ahead", &Options::timer_fire_ahead, &Settings::fire_ahead, 17ms),
        plain("timer_page", &Options::timer_page, &Settings::timer_page, 17),
        plain("lock_time", &Options::lock_time, &Settings::lock_time, 17s),
        plain("node_lease", &Options::node_lease, &Settings::node_lease, 17s),
        plain("reset_interval", &Options::reset_interval, &Settings::reset_interval, 17s),
        plain("reset_page", &Options::reset_page, &Settings::reset_page, 17),
        plain("job_time_limit", &Options::job_time_limit, &Settings::job_time_limit, 17s),
        plain(
            "external_time_limits",
            &Options::external_time_limits,
            &Settings::external_time_limits,
            {"mail=PT17S"}
        ),
        plain("lost_starts", &Options::lost_starts, &Settings::lost_starts, 17),
        plain("misfire_threshold", &Options::misfire_threshold, &Settings::misfire_threshold, 17s),
        plain("shutdown_wait", &Options::shutdown_wait, &Settings::shutdown_wait, 17s),
        plain("lock_owner", &Options::lock_owner, &Settings::lock_owner, "somebody"),
    };
}

std::vector<OptionRow> options_of_scope() {
    return {
        row("scope.priority_min",
            at(&EngineOptions::scope, &ServedScope::priority_min),
            executor_at(&ExecutorSettings::scope, &ServedScope::priority_min),
            17),
        row("scope.priority_max",
            at(&EngineOptions::scope, &ServedScope::priority_max),
            executor_at(&ExecutorSettings::scope, &ServedScope::priority_max),
            17),
        of_scope(
            "scope.categories", &ServedScope::categories, &schema::ServedScope::categories, {"x"}
        ),
        of_scope("scope.tenants", &ServedScope::tenants, &schema::ServedScope::tenants, {"x"}),
        of_scope(
            "scope.definitions", &ServedScope::definitions, &schema::ServedScope::definitions, {"x"}
        ),
    };
}

std::vector<OptionRow> options_of_retries() {
    const auto retry = [](auto member) { return at(&EngineOptions::retry, member); };
    const auto policy = [](auto member) { return executor_at(&ExecutorSettings::retry, member); };
    return {
        row("retry.attempts",
            retry(&RetryOptions::attempts),
            policy(&schema::RetryPolicy::default_attempts),
            17),
        {.name = "retry.wait",
         .set = [](EngineOptions& options) { options.retry.wait = 17s; },
         .is_there =
             [](const WiringOptions& wiring) {
                 return wiring.executor.retry.message_wait == 17s &&
                        wiring.executor.retry.timer_wait == 17s;
             }},
        {.name = "retry.cycle",
         .set = [](EngineOptions& options) { options.retry.cycle = "R17/PT1M"; },
         .is_there =
             [](const WiringOptions& wiring) {
                 return wiring.executor.retry.cycle && wiring.executor.retry.cycle->attempts == 17;
             }},
    };
}

std::vector<OptionRow> options_of_history() {
    using Options = HistoryOptions;
    const auto history = [](auto member) { return at(&EngineOptions::history, member); };
    const auto rules = [](auto member) { return executor_at(&ExecutorSettings::history, member); };
    const auto dead = [](auto member) {
        return at(&WiringOptions::policies, &deadletter::DeadLetterPolicies::retention, member);
    };
    return {
        {.name = "history.job_log",
         .set = [](EngineOptions& options) { options.history.job_log = JobLogLevel::full; },
         .is_there = [](const WiringOptions& wiring
                     ) { return wiring.executor.history.job_log == schema::JobLogLevel::full; }},
        {.name = "history.on_incident",
         .set = [](EngineOptions& options
                ) { options.history.on_incident = [](const Incident&) {}; },
         .is_there = [](const WiringOptions& wiring) { return wiring.on_incident != nullptr; }},
        row("history.incidents",
            history(&Options::incidents),
            rules(&schema::HistoryRules::incidents),
            false),
        row("history.incident_target",
            history(&Options::incident_target),
            rules(&schema::HistoryRules::incident_target),
            std::string("pager")),
        row("history.dead_letter_retention",
            history(&Options::dead_letter_retention),
            dead(&deadletter::DeadLetterRetention::age),
            17s),
        row("history.dead_letter_max_rows",
            history(&Options::dead_letter_max_rows),
            dead(&deadletter::DeadLetterRetention::rows),
            17),
        of_history("history.retention", &Options::retention, &HistoryRetention::age, 17s),
        of_history("history.max_rows", &Options::max_rows, &HistoryRetention::rows, 17),
        of_history("history.last_runs", &Options::last_runs, &HistoryRetention::runs, 17),
        of_history(
            "history.last_runs_retention",
            &Options::last_runs_retention,
            &HistoryRetention::runs_age,
            17s
        ),
        of_history("history.cleanup", &Options::cleanup, &HistoryRetention::is_enabled, false),
        of_history(
            "history.cleanup_priority", &Options::cleanup_priority, &HistoryRetention::priority, 17
        ),
    };
}

/// The two times of a window make sense together only.
std::vector<OptionRow> window_of_history() {
    OptionRow from = of_history(
        "history.cleanup_from",
        &HistoryOptions::cleanup_from,
        &HistoryRetention::window_start,
        "20:00"
    );
    from.before = [](EngineOptions& options) {
        options.history = {.cleanup_from = "21:00", .cleanup_to = "22:00"};
    };
    OptionRow to = of_history(
        "history.cleanup_to", &HistoryOptions::cleanup_to, &HistoryRetention::window_end, "23:00"
    );
    to.before = from.before;
    return {from, to};
}

std::vector<OptionRow> all_options() {
    std::vector<OptionRow> all{threads(), claim_pages(), aging(), retry_rule(), after_run()};
    for (const auto& part :
         {options_of_acquisition(),
          options_of_runs(),
          options_of_scope(),
          options_of_retries(),
          options_of_history(),
          window_of_history()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

std::vector<std::string>
names_there(const std::vector<OptionRow>& rows, const EngineOptions& options) {
    const WiringOptions wiring = engine::wiring_options_of(options);
    std::vector<std::string> names;
    for (const OptionRow& row : rows) {
        if (row.is_there(wiring)) {
            names.push_back(row.name);
        }
    }
    return names;
}

TEST(OptionTable, Each_option_becomes_its_setting_and_no_other) {
    const std::vector<OptionRow> rows = all_options();
    for (const OptionRow& row : rows) {
        EngineOptions options;
        row.before(options);
        std::vector<std::string> expected = names_there(rows, options);
        EXPECT_EQ(std::ranges::count(expected, row.name), 0) << row.name;
        row.set(options);
        std::vector<std::string> there = names_there(rows, options);
        expected.push_back(row.name);
        EXPECT_THAT(there, testing::UnorderedElementsAreArray(expected)) << row.name;
    }
}

struct Anything {
    template <typename Member>
    operator Member() const;
};

template <typename Struct, std::size_t... Members>
constexpr bool has_members(std::index_sequence<Members...>) {
    return requires {
        Struct{(static_cast<void>(Members), Anything())...};
    };
}

/// Of an aggregate.
template <typename Struct, std::size_t Count = 1>
constexpr std::size_t members_of() {
    if constexpr (has_members<Struct>(std::make_index_sequence<Count>())) {
        return members_of<Struct, Count + 1>();
    } else {
        return Count - 1;
    }
}

TEST(OptionTable, Has_all_options) {
    const std::vector<OptionRow> rows = all_options();
    const auto count = [&](const std::string& part) {
        return static_cast<std::size_t>(std::ranges::count_if(rows, [&](const OptionRow& row) {
            return part.empty() ? row.name.find('.') == std::string::npos
                                : row.name.starts_with(part);
        }));
    };
    // But for the four structures, and for the log, which is opened before there is an engine.
    EXPECT_EQ(count(""), members_of<EngineOptions>() - 6);
    EXPECT_EQ(count("scope."), members_of<ServedScope>());
    EXPECT_EQ(count("retry."), members_of<RetryOptions>());
    EXPECT_EQ(count("history."), members_of<HistoryOptions>());
}

}  // namespace

}  // namespace jobstrand::test
