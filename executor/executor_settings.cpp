#include "executor/executor_settings.hpp"

#include "executor/workers/external_work.hpp"
#include "schema/job_fields.hpp"
#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
namespace jobstrand::executor {

namespace {

using schema::Duration;

using namespace std::chrono_literals;

class Findings {
public:
    template <typename Number>
    void check(std::string_view name, Number value, Number least, Number most) {
        if (value < least || value > most) {
            found_.push_back(fmt::format("{} is {}, but must be {} to {}", name, value, least, most)
            );
        }
    }

    void check_time(std::string_view name, Duration value, Duration least, Duration most) {
        if (value < least || value > most) {
            found_.push_back(fmt::format(
                "{} is {} ms, but must be {} to {} ms",
                name,
                value.count(),
                least.count(),
                most.count()
            ));
        }
    }

    void check_order(const schema::AcquisitionOrder& order) {
        check_time("order.aging", order.aging, Duration{0}, 365 * 24h);
        check_turns(order);
        if (order.aging > Duration{0} && !order.by_priority) {
            found_.emplace_back("order.aging is of priorities, and needs order.by_priority");
        }
        if (order.ages() && order.timers_first) {
            found_.emplace_back(
                "order.aging and order.timers_first exclude each other: a timer that came before "
                "all others would leave nothing to age"
            );
        }
    }

    void check_turns(const schema::AcquisitionOrder& order) {
        if (order.tenants_in_turn && order != schema::AcquisitionOrder{.tenants_in_turn = true}) {
            found_.emplace_back(
                "order.tenants_in_turn goes with no other order: in each tenant's turn comes its "
                "oldest job"
            );
        }
    }

    void check_granularity(const ExecutorSettings& settings) {
        if (settings.lock_granularity == schema::LockGranularity::page && settings.order.is_any()) {
            found_.emplace_back(
                "lock_granularity page and an order of acquisition exclude each other: a page is "
                "claimed in the order of the ids"
            );
        }
    }

    void check_retention(const schema::HistoryRetention& retention) {
        check_time("history_retention.age", retention.age, Duration{0}, 36'500 * 24h);
        check_time("history_retention.runs_age", retention.runs_age, Duration{0}, 36'500 * 24h);
        if (!schema::DayWindow::of(retention.window_start, retention.window_end)) {
            found_.emplace_back(
                "historyCleanupBatchWindowStartTime and historyCleanupBatchWindowEndTime must be "
                "two times of the day such as 20:00, or both empty"
            );
        }
    }

    void check_together(const ExecutorSettings& settings) {
        if (settings.instances_together && settings.order.is_any()) {
            found_.emplace_back(
                "instances_together goes with no order: that would say which job comes next"
            );
        }
    }

    void check_scope(const schema::ServedScope& scope) {
        if (scope.priority_min > scope.priority_max) {
            found_.push_back(fmt::format(
                "scope.priority_min is {}, but must not be above scope.priority_max, which "
                "is {}",
                scope.priority_min,
                scope.priority_max
            ));
        }
        for (const schema::ScopeList& list : schema::kScopeLists) {
            check_values(schema::field_of(list.field).name, scope.*list.values);
        }
    }

    void check_values(std::string_view field, const std::vector<std::string>& values) {
        if (values.size() > schema::limits::kScopeValues) {
            found_.push_back(fmt::format(
                "the scope has {} values of {}, but may have up to {}",
                values.size(),
                field,
                schema::limits::kScopeValues
            ));
        }
        const auto is_too_long = [](const std::string& value) {
            return value.size() > schema::limits::kNameLength;
        };
        if (std::ranges::any_of(values, is_too_long)) {
            found_.push_back(fmt::format(
                "a value of {} in the scope has more than {} characters",
                field,
                schema::limits::kNameLength
            ));
        }
    }

    void check_limits(const std::vector<std::string>& limits) {
        for (const std::string& limit : limits) {
            if (const std::string problem = ExternalLimits::problem_of(limit); !problem.empty()) {
                found_.push_back(fmt::format("external_time_limits: {} {}", limit, problem));
            }
        }
    }

    [[nodiscard]] std::vector<std::string> take() { return std::move(found_); }

private:
    std::vector<std::string> found_;
};

constexpr std::size_t kMostThreads = 1000;
constexpr std::size_t kMostQueued = 100'000;
constexpr std::size_t kMostAsyncRuns = 1'000'000;
constexpr std::size_t kMostBytes = std::size_t{1} << 40U;
constexpr int kMostLostStarts = 1'000'000;
constexpr int kMostAttempts = schema::limits::kRetryAttempts;
constexpr Duration kDay = 24h;

}  // namespace

schema::ExclusiveOver exclusive_over(const ExecutorSettings& settings) {
    return settings.exclusive_over_hierarchies ? schema::ExclusiveOver::hierarchy
                                               : schema::ExclusiveOver::instance;
}

std::vector<std::string> validate(const ExecutorSettings& settings) {
    constexpr std::size_t page_max = schema::limits::kJobsPerTransaction;
    constexpr std::size_t one = 1;
    Findings findings;
    findings.check(
        "lock_owner length", settings.lock_owner.size(), std::size_t{0}, schema::limits::kNameLength
    );
    findings.check("core_pool_size", settings.core_pool_size, one, kMostThreads);
    findings.check("max_pool_size", settings.max_pool_size, settings.core_pool_size, kMostThreads);
    findings.check_time("keep_alive", settings.keep_alive, 0ms, kDay);
    findings.check("queue_size", settings.queue_size, one, kMostQueued);
    findings.check("queue_bytes", settings.queue_bytes, one, kMostBytes);
    findings.check("async_runs", settings.async_runs, one, kMostAsyncRuns);
    findings.check("acquire_page", settings.acquire_page, one, page_max);
    findings.check("acquire_page_bytes", settings.acquire_page_bytes, one, kMostBytes);
    findings.check_time("acquire_ahead", settings.acquire_ahead, 0ms, kDay);
    findings.check_time("acquire_first_wait", settings.acquire_first_wait, 1ms, 1h);
    findings.check_time("acquire_wait", settings.acquire_wait, 1ms, 1h);
    findings.check_order(settings.order);
    findings.check_together(settings);
    findings.check_granularity(settings);
    findings.check_scope(settings.scope);
    findings.check_time("queue_full_wait", settings.queue_full_wait, 0ms, kDay);
    findings.check("timer_page", settings.timer_page, one, page_max);
    findings.check_time("timer_wait", settings.timer_wait, 1ms, 1h);
    findings.check_time("fire_ahead", settings.fire_ahead, 0ms, 1h);
    findings.check_time("misfire_threshold", settings.misfire_threshold, 0ms, kDay);
    findings.check_time("job_time_limit", settings.job_time_limit, 0ms, kDay);
    findings.check_limits(settings.external_time_limits);
    findings.check("lost_starts", settings.lost_starts, 2, kMostLostStarts);
    findings.check_time("lock_time", settings.lock_time, 100ms, kDay);
    findings.check_time("node_lease", settings.node_lease, 300ms, 1h);
    findings.check_time("reset_interval", settings.reset_interval, 10ms, 1h);
    findings.check("reset_page", settings.reset_page, one, page_max);
    findings.check_time("shutdown_wait", settings.shutdown_wait, 0ms, kDay);
    findings.check_time("retry.message_wait", settings.retry.message_wait, 0ms, 365 * kDay);
    findings.check_time("retry.timer_wait", settings.retry.timer_wait, 0ms, 365 * kDay);
    findings.check("retry.default_attempts", settings.retry.default_attempts, 1, kMostAttempts);
    findings.check_retention(settings.history_retention);
    return findings.take();
}

}  // namespace jobstrand::executor
