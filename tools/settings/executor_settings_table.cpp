#include "executor/workers/external_work.hpp"
#include "schema/job_failure.hpp"
#include "schema/limits.hpp"
#include "tools/settings/setting_table.hpp"

#include <algorithm>

namespace jobstrand::cli {

namespace {

using executor::ExecutorSettings;
using schema::RetryPolicy;

template <auto Member>
[[nodiscard]] auto& in_executor(Settings& settings) {
    return settings.executor.*Member;
}

template <auto Member>
[[nodiscard]] auto& in_retry(Settings& settings) {
    return settings.executor.retry.*Member;
}

[[nodiscard]] std::string& retry_time_cycle(Settings& settings) {
    return settings.retry_time_cycle;
}

[[nodiscard]] std::string problem_of_cycle(std::string_view text) {
    const auto cycle = schema::parse_retry_cycle(text);
    return cycle ? std::string()
                 : "must be a retry cycle such as \"R3/PT10S\" or \"PT1S,PT5S\": " +
                       cycle.error().message;
}

/// Of a list, as it is joined by commas.
[[nodiscard]] std::string problem_of_limits(std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t end = std::min(rest.find(','), rest.size());
        if (auto problem = executor::ExternalLimits::problem_of(rest.substr(0, end));
            !problem.empty()) {
            return problem;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
}

// Milliseconds, for the legal ranges. They are those of executor::validate.
constexpr std::int64_t kHour = 3'600'000;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kYear = 365 * kDay;

/// A hundred names with times.
constexpr std::int64_t kLimitsLength = 25'600;

constexpr std::int64_t kThreads = 1000;
constexpr std::int64_t kQueued = 100'000;
constexpr std::int64_t kAsyncRuns = 1'000'000;
constexpr std::int64_t kBytes = std::int64_t{1} << 40U;
constexpr std::int64_t kPage = schema::limits::kJobsPerTransaction;

constexpr std::array kExecutorSettings{
    Setting{
        .name = "lockOwner",
        .unit = Unit::text,
        .field = &in_executor<&ExecutorSettings::lock_owner>,
        .most = schema::limits::kNameLength,
        .meaning = "What stands in LOCK_OWNER_ of the jobs that this process holds; must be unique "
                   "per process. Empty: `HOST:PROCESS:RANDOM`, which `job show` takes apart.",
        .aliases = {{{"asyncExecutorLockOwner", Unit::text}}},
    },
    Setting{
        .name = "corePoolSize",
        .field = &in_executor<&ExecutorSettings::core_pool_size>,
        .least = 1,
        .most = kThreads,
        .flowable = "2",
        .camunda = "3",
        .meaning = "Worker threads that are started as jobs come.",
        .aliases = {{{"asyncExecutorCorePoolSize"}}},
    },
    Setting{
        .name = "maxPoolSize",
        .field = &in_executor<&ExecutorSettings::max_pool_size>,
        .least = 1,
        .most = kThreads,
        .flowable = "10",
        .camunda = "10",
        .meaning = "Most worker threads; those above corePoolSize start when the queue is full. "
                   "Alone it lowers corePoolSize to it.",
        .aliases = {{{"asyncExecutorMaxPoolSize"}}},
    },
    Setting{
        .name = "keepAlive",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::keep_alive>,
        .most = kDay,
        .flowable = "PT5S",
        .camunda = "PT0S",
        .meaning = "Idle life of worker threads above corePoolSize.",
        .aliases = {{
            {"asyncExecutorThreadKeepAliveTime", Unit::milliseconds},
            {"keepAliveTime", Unit::milliseconds},
        }},
    },
    Setting{
        .name = "queueSize",
        .field = &in_executor<&ExecutorSettings::queue_size>,
        .least = 1,
        .most = kQueued,
        .flowable = "100",
        .camunda = "3",
        .meaning = "Acquired jobs that may wait for a worker thread.",
        .aliases = {{{"asyncExecutorThreadPoolQueueSize"}}},
    },
    Setting{
        .name = "maxAsyncRuns",
        .field = &in_executor<&ExecutorSettings::async_runs>,
        .least = 1,
        .most = kAsyncRuns,
        .meaning = "Runs of asynchronous handlers, `http` for one, that may be under way at once.",
    },
    Setting{
        .name = "queueBytes",
        .field = &in_executor<&ExecutorSettings::queue_bytes>,
        .least = 1,
        .most = kBytes,
        .meaning =
            "Bytes of payloads that queued and running jobs may have together before no more "
            "are acquired.",
    },
    Setting{
        .name = "maxAsyncJobsDuePerAcquisition",
        .field = &in_executor<&ExecutorSettings::acquire_page>,
        .least = 1,
        .most = kPage,
        .flowable = "1",
        .camunda = "3",
        .meaning = "Jobs that one acquisition takes at most.",
        .aliases = {{
            {"asyncExecutorMaxAsyncJobsDuePerAcquisition"},
            {"maxJobsPerAcquisition"},
        }},
    },
    Setting{
        .name = "maxBytesPerAcquisition",
        .field = &in_executor<&ExecutorSettings::acquire_page_bytes>,
        .least = 1,
        .most = kBytes,
        .meaning =
            "Bytes of payloads that one acquisition takes at most; a single job may have more.",
    },
    Setting{
        .name = "acquireAhead",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::acquire_ahead>,
        .most = kDay,
        .meaning =
            "How far ahead jobs are acquired: as many as the threads start within this time, "
            "going by how long runs take. The others stay free for other processes. 0: only "
            "what a thread waits for.",
    },
    Setting{
        .name = "acquireFirstWait",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::acquire_first_wait>,
        .least = 1,
        .most = kHour,
        .flowable = "PT10S",
        .camunda = "PT5S",
        .meaning = "Wait after the first acquisition that found nothing; it grows with the idle "
                   "time, to a sixteenth of it, up to defaultAsyncJobAcquireWaitTime.",
        .aliases = {{{"waitTimeInMillis", Unit::milliseconds}}},
    },
    Setting{
        .name = "defaultAsyncJobAcquireWaitTime",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::acquire_wait>,
        .least = 1,
        .most = kHour,
        .flowable = "PT10S",
        .camunda = "PT60S",
        .meaning = "Longest wait between two polls for jobs that other processes added, reached "
                   "after sixteen times as long without a job.",
        .aliases = {{
            {"asyncExecutorDefaultAsyncJobAcquireWaitTime", Unit::milliseconds},
            {"maxWait", Unit::milliseconds},
        }},
    },
    Setting{
        .name = "defaultQueueSizeFullWaitTime",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::queue_full_wait>,
        .most = kDay,
        .flowable = "PT0S",
        .meaning = "Longest wait while the queue is full; a queue that has room again ends it.",
        .aliases = {{{"asyncExecutorDefaultQueueSizeFullWaitTime", Unit::milliseconds}}},
    },
    Setting{
        .name = "exclusiveOverHierarchies",
        .unit = Unit::flag,
        .field = &in_executor<&ExecutorSettings::exclusive_over_hierarchies>,
        .camunda = "false",
        .meaning = "`true`: exclusive jobs of all instances under one root run one at a time; "
                   "`false`: those of each instance. The same on all nodes.",
        .aliases = {{{"jobExecutorAcquireExclusiveOverProcessHierarchies", Unit::flag}}},
    },
    Setting{
        .name = "instancesTogether",
        .unit = Unit::flag,
        .field = &in_executor<&ExecutorSettings::instances_together>,
        .meaning = "`true`: who acquires an exclusive job takes the further ones of its instance "
                   "along, wherever they stand in the table, so that several processes share many "
                   "instances at little cost. Not with another order of acquisition. Needs the "
                   "index that `jobstrand schema index instance --create` makes.",
    },
    Setting{
        .name = "asyncJobAcquisitionEnabled",
        .unit = Unit::flag,
        .field = &in_executor<&ExecutorSettings::acquire_async_jobs>,
        .meaning = "`false`: this process acquires no jobs from the table.",
        .aliases = {{{"asyncExecutorAsyncJobAcquisitionEnabled", Unit::flag}}},
    },
    Setting{
        .name = "timerJobAcquisitionEnabled",
        .unit = Unit::flag,
        .field = &in_executor<&ExecutorSettings::acquire_timers>,
        .meaning = "`false`: this process moves no due timers.",
        .aliases = {{{"asyncExecutorTimerJobAcquisitionEnabled", Unit::flag}}},
    },
    Setting{
        .name = "resetExpiredJobEnabled",
        .unit = Unit::flag,
        .field = &in_executor<&ExecutorSettings::reset_expired_jobs>,
        .meaning = "`false`: this process does not free the locks of processes that died.",
        .aliases = {{{"asyncExecutorResetExpiredJobsEnabled", Unit::flag}}},
    },
    Setting{
        .name = "maxTimerJobsPerAcquisition",
        .field = &in_executor<&ExecutorSettings::timer_page>,
        .least = 1,
        .most = kPage,
        .flowable = "1",
        .camunda = "3",
        .meaning = "Due timers that one pass moves at most.",
        .aliases = {{
            {"asyncExecutorMaxTimerJobsPerAcquisition"},
            {"batchTriggerAcquisitionMaxCount"},
        }},
    },
    Setting{
        .name = "defaultTimerJobAcquireWaitTime",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::timer_wait>,
        .least = 1,
        .most = kHour,
        .flowable = "PT10S",
        .camunda = "PT5S",
        .meaning = "Longest wait until timers that other processes added are seen; known timers "
                   "fire at their time.",
        .aliases = {{
            {"asyncExecutorDefaultTimerJobAcquireWaitTime", Unit::milliseconds},
            {"idleWaitTime", Unit::milliseconds},
        }},
    },
    Setting{
        .name = "timerFireAheadWindow",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::fire_ahead>,
        .least = 0,
        .most = kHour,
        .meaning = "With a due timer go those that are due within this time, ahead of it.",
        .aliases = {{{"batchTriggerAcquisitionFireAheadTimeWindow", Unit::milliseconds}}},
    },
    Setting{
        .name = "misfireThreshold",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::misfire_threshold>,
        .least = 0,
        .most = kDay,
        .meaning = "A turn of a series that is later than this is a misfire.",
    },
    Setting{
        .name = "asyncJobLockTime",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::lock_time>,
        .least = 100,
        .most = kDay,
        .flowable = "PT5M",
        .camunda = "PT5M",
        .meaning = "How long a job stays locked when its process dies. A running job's lock is "
                   "renewed every third of it, so it may be shorter than the job.",
        .aliases = {{
            {"asyncExecutorAsyncJobLockTimeInMillis", Unit::milliseconds},
            {"lockTimeInMillis", Unit::milliseconds},
        }},
    },
    Setting{
        .name = "lockGranularity",
        .unit = Unit::text,
        .field = &in_executor<&ExecutorSettings::lock_granularity>,
        .meaning = "What is locked when jobs are acquired: `row`, each job; `page`, plain jobs of "
                   "PostgreSQL, MariaDB and MySQL by the page, for short jobs in great numbers "
                   "(docs/databases.md). All nodes of a database must agree.",
    },
    Setting{
        .name = "timerLockTime",
        .unit = Unit::milliseconds,
        .field = std::monostate{},
        .most = kDay,
        .meaning = "Accepted, without effect: a due timer is moved in one transaction and is never "
                   "locked on the way.",
        .aliases = {{{"asyncExecutorTimerLockTimeInMillis", Unit::milliseconds}}},
    },
    Setting{
        .name = "nodeLease",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::node_lease>,
        .least = 300,
        .most = kHour,
        .meaning =
            "A node that has not shown itself for so long is dead, and others take its jobs; "
            "it renews its lease every third of it.",
    },
    Setting{
        .name = "resetExpiredJobsInterval",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::reset_interval>,
        .least = 10,
        .most = kHour,
        .flowable = "PT60S",
        .meaning = "How often expired locks are looked for.",
        .aliases = {{{"asyncExecutorResetExpiredJobsInterval", Unit::milliseconds}}},
    },
    Setting{
        .name = "resetExpiredJobsPageSize",
        .field = &in_executor<&ExecutorSettings::reset_page>,
        .least = 1,
        .most = kPage,
        .flowable = "3",
        .meaning = "Expired locks that one statement frees at most.",
        .aliases = {{{"asyncExecutorResetExpiredJobsPageSize"}}},
    },
    Setting{
        .name = "awaitTerminationPeriod",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::shutdown_wait>,
        .most = kDay,
        .flowable = "PT60S",
        .camunda = "PT60S",
        .meaning = "How long running jobs may take to finish when the service stops.",
        .aliases = {{{"asyncExecutorSecondsToWaitOnShutdown", Unit::seconds}}},
    },
    Setting{
        .name = "jobTimeLimit",
        .unit = Unit::milliseconds,
        .field = &in_executor<&ExecutorSettings::job_time_limit>,
        .most = kDay,
        .meaning =
            "Deadline that a handler is given for one run; 0: none. Commands are ended at it.",
    },
    Setting{
        .name = "externalTimeLimits",
        .unit = Unit::text,
        .field = &in_executor<&ExecutorSettings::external_time_limits>,
        .most = kLimitsLength,
        .meaning =
            "How long external workers may hold a job, by handler type: a list such as "
            "`[\"mail=PT30S\", \"invoice.*=PT5M\", \"*=PT1H\"]`. A job that is held longer is "
            "given up: the attempt has failed, and its worker is told that it has lost the "
            "lock, which it may have prolonged. Nothing: as long as they prolong it.",
        .problem_of_text = problem_of_limits,
    },
    Setting{
        .name = "maxLostStarts",
        .field = &in_executor<&ExecutorSettings::lost_starts>,
        .least = 2,
        .most = 1'000'000,
        .meaning =
            "A job becomes a dead letter when the process that ran it has died so many times "
            "in a row.",
    },
    Setting{
        .name = "numberOfRetries",
        .field = &in_retry<&RetryPolicy::default_attempts>,
        .least = 1,
        .most = schema::limits::kRetryAttempts,
        .flowable = "3",
        .camunda = "3",
        .meaning = "Attempts of a job that does not say it itself, the first one included.",
        .aliases = {{{"asyncExecutorNumberOfRetries"}, {"defaultNumberOfRetries"}}},
    },
    Setting{
        .name = "asyncFailedJobWaitTime",
        .unit = Unit::seconds,
        .field = &in_retry<&RetryPolicy::message_wait>,
        .most = kYear,
        .flowable = "PT10S",
        .camunda = "PT0S",
        .meaning = "Wait before the next attempt of a job that had no due date.",
    },
    Setting{
        .name = "defaultFailedJobWaitTime",
        .unit = Unit::seconds,
        .field = &in_retry<&RetryPolicy::timer_wait>,
        .most = kYear,
        .flowable = "PT10S",
        .camunda = "PT0S",
        .meaning = "Wait before the next attempt of a timer.",
    },
    Setting{
        .name = "failedJobRetryTimeCycle",
        .unit = Unit::text,
        .field = &retry_time_cycle,
        .most = schema::limits::kNameLength,
        .meaning = "Attempts and waits of jobs without a retry cycle of their own: `R5/PT5M`, or a "
                   "list of waits such as `PT10M,PT17M,PT20M`.",
        .problem_of_text = problem_of_cycle,
    },
};

}  // namespace

std::span<const Setting> executor_settings() {
    return kExecutorSettings;
}

}  // namespace jobstrand::cli
