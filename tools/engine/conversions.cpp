#include "tools/engine/conversions.hpp"

#include "schema/text/column_text.hpp"
#include "tools/engine/wiring.hpp"

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
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kWords{{
    {"lock_owner length", "the length of lock_owner"},
    {"core_pool_size", "threads"},
    {"order.aging", "priority_aging"},
    {"order.by_priority", "acquire_by_priority"},
    {"order.timers_first", "prefer_timers"},
    {"order.tenants_in_turn", "tenants_in_turn"},
    {"lock_granularity page", "claim_pages"},
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

/// Throws std::invalid_argument for options that no engine takes, one sentence per mistake, in the
/// words of the EngineOptions that they come from.
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

OnIncident listener_of(const OnIncident& on_incident) {
    if (!on_incident) {
        return {};
    }
    return [on_incident](const Incident& incident) {
        with_foreign_errors([&] { on_incident(incident); });
    };
}

RunResult run_result_of(schema::TransitionReason reason) {
    using Reason = schema::TransitionReason;
    switch (reason) {
        case Reason::retry:
            return RunResult::failed;
        case Reason::retries_exhausted:
        case Reason::not_retryable:
            return RunResult::dead;
        case Reason::interrupted:
        case Reason::released:
            return RunResult::interrupted;
        default:
            return RunResult::succeeded;
    }
}

executor::OnRun on_run_of(const Hooks& hooks) {
    if (!hooks.after_run) {
        return {};
    }
    return [after_run = hooks.after_run](const executor::WatchedRun& run) {
        after_run(
            {.job = executor::running_job_of(run.job),
             .attempt = run.attempt,
             .began = run.began,
             .ended = run.ended,
             .result = run_result_of(run.reason),
             .message = run.error}
        );
    };
}

}  // namespace

JobContext context_of(const executor::JobContext& context) {
    return {
        .job = executor::running_job_of(context.job),
        .attempt = context.attempt,
        .deadline = context.deadline,
        .stop = context.stop,
        .fencing_token = context.fencing_token,
        .trace_parent = context.trace_parent,
        .tell =
            [ours = &context](const RunNews& news) {
                if (news.progress) {
                    ours->progress(*news.progress, news.note);
                }
                ours->log(news.output);
            },
    };
}

executor::HandlerResult result_of(HandlerResult result) {
    return std::visit(
        [](auto&& one) -> executor::HandlerResult { return std::forward<decltype(one)>(one); },
        std::move(result)
    );
}

std::vector<persistence::Value> values_of(std::span<const Value> values) {
    std::vector<persistence::Value> ours(values.size());
    std::ranges::transform(values, ours.begin(), &Value::content);
    return ours;
}

std::vector<Value> to_public_values(std::span<const persistence::Value> values) {
    std::vector<Value> faces;
    faces.reserve(values.size());
    for (const persistence::Value& value : values) {
        std::visit([&](const auto& content) { faces.emplace_back(content); }, value);
    }
    return faces;
}

schema::RetryPolicy policy_of(const RetryOptions& options) {
    schema::RetryPolicy policy{
        .default_attempts = options.attempts,
        .message_wait = options.wait,
        .timer_wait = options.wait,
        .cycle = {}};
    if (!options.cycle.empty()) {
        auto cycle = schema::parse_retry_cycle(options.cycle);
        if (!cycle) {
            throw std::invalid_argument("the retry cycle: " + cycle.error().message);
        }
        policy.cycle = cycle.value();
    }
    return policy;
}

WiringOptions wiring_options_of(const EngineOptions& options) {
    WiringOptions ours{
        .database_url = options.database_url,
        .update_schema = options.update_schema,
        .create_indexes = options.create_indexes};
    executor::ExecutorSettings& executor = ours.executor;
    executor.lock_owner = options.lock_owner;
    executor.core_pool_size = options.threads;
    executor.max_pool_size = options.threads;
    executor.queue_size = options.queue_size;
    executor.async_runs = options.async_runs;
    executor.queue_bytes = options.queue_bytes;
    executor.acquire_page = options.acquire_page;
    executor.acquire_page_bytes = options.acquire_page_bytes;
    executor.acquire_async_jobs = options.acquire_jobs;
    executor.acquire_timers = options.acquire_timers;
    executor.reset_expired_jobs = options.reset_expired_locks;
    executor.order = {
        .by_priority = options.acquire_by_priority,
        .timers_first = options.prefer_timers,
        .by_due_date = options.acquire_by_due_date,
        .aging = options.priority_aging,
        .tenants_in_turn = options.tenants_in_turn};
    executor.scope = options.scope;
    executor.exclusive_over_hierarchies = options.exclusive_over_hierarchies;
    executor.instances_together = options.instances_together;
    executor.lock_granularity =
        options.claim_pages ? schema::LockGranularity::page : schema::LockGranularity::row;
    executor.prioritized_jobs = options.prioritized_jobs;
    executor.records_definitions = options.record_definitions;
    executor.tolerates_failed_expressions = options.tolerate_failed_expressions;
    executor.acquire_ahead = options.acquire_ahead;
    executor.acquire_first_wait = options.acquire_first_wait;
    executor.queue_full_wait = options.queue_full_wait;
    executor.acquire_wait = options.acquire_wait;
    executor.timer_wait = options.timer_wait;
    executor.fire_ahead = options.timer_fire_ahead;
    executor.timer_page = options.timer_page;
    executor.lock_time = options.lock_time;
    executor.node_lease = options.node_lease;
    executor.reset_interval = options.reset_interval;
    executor.reset_page = options.reset_page;
    executor.job_time_limit = options.job_time_limit;
    executor.external_time_limits = options.external_time_limits;
    executor.lost_starts = options.lost_starts;
    executor.misfire_threshold = options.misfire_threshold;
    executor.shutdown_wait = options.shutdown_wait;
    executor.retry = policy_of(options.retry);
    const HistoryOptions& history = options.history;
    executor.history = {
        .job_log = history.job_log,
        .incidents = history.incidents,
        .incident_target = history.incident_target};
    executor.history_retention = {
        .is_enabled = history.cleanup,
        .age = history.retention,
        .rows = history.max_rows,
        .runs = history.last_runs,
        .runs_age = history.last_runs_retention,
        .window_start = history.cleanup_from,
        .window_end = history.cleanup_to,
        .priority = history.cleanup_priority};
    ours.policies.retention = {
        .age = history.dead_letter_retention, .rows = history.dead_letter_max_rows};
    ours.on_incident = listener_of(history.on_incident);
    ours.retry_rule = options.retry_rule;
    ours.on_run = on_run_of(options.hooks);
    require_sound(ours);
    return ours;
}

}  // namespace jobstrand::engine
