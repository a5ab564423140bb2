#include "tools/settings/setting_table.hpp"

#include <limits>

namespace jobstrand::cli {

namespace {

template <auto Member>
constexpr auto kInOrder =
    &field_at<&Settings::executor, &executor::ExecutorSettings::order, Member>;

constexpr std::int64_t kAgingMost = schema::Duration(std::chrono::hours(365 * 24)).count();

constexpr std::array kOrderSettings{
    Setting{
        .name = "producePrioritizedJobs",
        .field = &field_at<&Settings::executor, &executor::ExecutorSettings::prioritized_jobs>,
        .meaning =
            "`false`: every job that is enqueued here, over HTTP or by the command line, has "
            "priority 0, whatever it asks for. Rows of plain SQL keep theirs.",
    },
    Setting{
        .name = "batchJobPriority",
        .field = &field_at<&Settings::batch_job_priority>,
        .least = std::numeric_limits<std::int64_t>::min(),
        .meaning = "The priority of jobs that carry out bulk operations in the background "
                   "(`--background`).",
    },
    Setting{
        .name = "recordDefinitions",
        .field = &field_at<&Settings::executor, &executor::ExecutorSettings::records_definitions>,
        .meaning =
            "`true`: each definition, element and handler type of which a job is enqueued here for "
            "the first time is listed by `jobstrand definition settings`, up to 10,000.",
    },
    Setting{
        .name = "tolerateFailedExpressions",
        .field = &field_at<
            &Settings::executor,
            &executor::ExecutorSettings::tolerates_failed_expressions>,
        .meaning =
            "`true`: a job is enqueued here although an expression of its definition fails, as if "
            "the definition did not have it. `false`: it is refused.",
        .aliases = {"enableGracefulDegradationOnContextSwitchFailure"},
    },
    Setting{
        .name = "acquireByPriority",
        .field = kInOrder<&schema::AcquisitionOrder::by_priority>,
        .meaning =
            "`true`: jobs are acquired by their priority, highest first, and those of one "
            "priority oldest first. Low ones wait as long as higher ones keep coming, unless "
            "they age. Needs the index that `jobstrand schema index priority --create` "
            "makes, or with any of the next three settings that of `priority-due`.",
        .aliases = {"jobExecutorAcquireByPriority"},
    },
    Setting{
        .name = "preferTimerJobs",
        .field = kInOrder<&schema::AcquisitionOrder::timers_first>,
        .meaning = "`true`: jobs with a due date, timers and retries, are acquired before all "
                   "others, earliest first; with `acquireByPriority` within each priority. Needs "
                   "the index that `jobstrand schema index due --create` makes.",
        .aliases = {"jobExecutorPreferTimerJobs"},
    },
    Setting{
        .name = "acquireByDueDate",
        .field = kInOrder<&schema::AcquisitionOrder::by_due_date>,
        .meaning = "`true`: jobs are acquired by their due date, earliest first, and those without "
                   "one by their creation; with `acquireByPriority` within each priority. Needs "
                   "the index of `preferTimerJobs`.",
        .aliases = {"jobExecutorAcquireByDueDate"},
    },
    Setting{
        .name = "tenantsInTurn",
        .field = kInOrder<&schema::AcquisitionOrder::tenants_in_turn>,
        .meaning =
            "`true`: of each tenant in turn the oldest job is acquired, so that nobody waits "
            "behind the backlog of another tenant. Not with any other order. Needs the "
            "index that `jobstrand schema index tenant --create` makes.",
    },
    Setting{
        .name = "priorityAging",
        .field = kInOrder<&schema::AcquisitionOrder::aging>,
        .most = kAgingMost,
        .meaning =
            "With `acquireByPriority`: one step of priority is worth so long a wait, so that "
            "a low priority runs in the end, however many higher ones keep coming. 0: "
            "nothing ages. Not with `preferTimerJobs`.",
    },
};

}  // namespace

std::span<const Setting> order_settings() {
    return kOrderSettings;
}

namespace {

template <auto Member>
constexpr auto kInScope =
    &field_at<&Settings::executor, &executor::ExecutorSettings::scope, Member>;

/// A hundred names of 255 characters.
constexpr std::int64_t kListLength = 25'600;

constexpr std::array kScopeSettings{
    Setting{
        .name = "priorityRangeMin",
        .field = kInScope<&schema::ServedScope::priority_min>,
        .least = std::numeric_limits<std::int64_t>::min(),
        .meaning = "Jobs of a lower priority are left to other processes. "
                   "`jobstrand stats` tells of jobs that no process takes.",
        .aliases = {"jobExecutorPriorityRangeMin"},
    },
    Setting{
        .name = "priorityRangeMax",
        .field = kInScope<&schema::ServedScope::priority_max>,
        .least = std::numeric_limits<std::int64_t>::min(),
        .meaning = "Likewise those of a higher one.",
        .aliases = {"jobExecutorPriorityRangeMax"},
    },
    Setting{
        .name = "enabledJobCategories",
        .field = kInScope<&schema::ServedScope::categories>,
        .most = kListLength,
        .meaning =
            "Only jobs of these categories are taken, and all others left to other "
            "processes: a list such as `[\"mail\", \"\"]`, in which the empty name stands for "
            "jobs without a category. Nothing: all. A name cannot have a comma.",
    },
    Setting{
        .name = "enabledTenants",
        .field = kInScope<&schema::ServedScope::tenants>,
        .most = kListLength,
        .meaning = "The same with tenants.",
        .aliases = {"asyncExecutorTenantId"},
    },
    Setting{
        .name = "enabledDefinitions",
        .field = kInScope<&schema::ServedScope::definitions>,
        .most = kListLength,
        .meaning = "The same with process definitions, by their ids. This is how a process is "
                   "aware of deployments: list the definitions whose code it has, and the empty "
                   "name.",
    },
};

}  // namespace

std::span<const Setting> scope_settings() {
    return kScopeSettings;
}

}  // namespace jobstrand::cli
