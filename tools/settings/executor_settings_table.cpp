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
constexpr auto kInExecutor = &field_at<&Settings::executor, Member>;

template <auto Member>
constexpr auto kInRetry =
    &field_at<&Settings::executor, &executor::ExecutorSettings::retry, Member>;

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

constexpr std::int64_t kMostThreads = 1000;
constexpr std::int64_t kQueued = 100'000;
constexpr std::int64_t kAsyncRuns = 1'000'000;
constexpr std::int64_t kBytes = std::int64_t{1} << 40U;
constexpr std::int64_t kPage = schema::limits::kJobsPerTransaction;

constexpr std::array kExecutorSettings{
    Setting{
        .name = "lockOwner",
        .field = kInExecutor<&ExecutorSettings::lock_owner>,
        .most = schema::limits::kNameLength,
        .meaning = "What stands in LOCK_OWNER_ of the jobs that this process holds; must be unique "
                   "per process. Empty: `HOST:PROCESS:RANDOM`, which `job show` takes apart.",
        .aliases = {"asyncExecutorLockOwner"},
    },
    Setting{
        .name = "corePoolSize",
        .field = kInExecutor<&ExecutorSettings::core_pool_size>,
        .least = 1,
        .most = kMostThreads,
        .flowable = "2",
        .camunda = "3",
        .meaning = "Worker threads that are started as jobs come.",
        .aliases = {"asyncExecutorCorePoolSize"},
    },
    Setting{
        .name = "maxPoolSize",
        .field = kInExecutor<&ExecutorSettings::max_pool_size>,
        .least = 1,
        .most = kMostThreads,
        .flowable = "10",
        .camunda = "10",
        .meaning = "Most worker threads; those above corePoolSize start when the queue is full. "
                   "Alone it lowers corePoolSize to it.",
        .aliases = {"asyncExecutorMaxPoolSize"},
    },
    Setting{
        .name = "keepAlive",
        .field = kInExecutor<&ExecutorSettings::keep_alive>,
        .most = kDay,
        .flowable = "PT5S",
        .camunda = "PT0S",
        .meaning = "Idle life of worker threads above corePoolSize.",
        .aliases = {"asyncExecutorThreadKeepAliveTime", "keepAliveTime"},
    },
    Setting{
        .name = "queueSize",
        .field = kInExecutor<&ExecutorSettings::queue_size>,
        .least = 1,
        .most = kQueued,
        .flowable = "100",
        .camunda = "3",
        .meaning = "Acquired jobs that may wait for a worker thread.",
        .aliases = {"asyncExecutorThreadPoolQueueSize"},
    },
    Setting{
        .name = "maxAsyncRuns",
        .field = kInExecutor<&ExecutorSettings::async_runs>,
        .least = 1,
        .most = kAsyncRuns,
        .meaning = "Runs of asynchronous handlers, `http` for one, that may be under way at once.",
    },
    Setting{
        .name = "queueBytes",
        .field = kInExecutor<&ExecutorSettings::queue_bytes>,
        .least = 1,
        .most = kBytes,
        .meaning =
            "Bytes of payloads that queued and running jobs may have together before no more "
            "are acquired.",
    },
    Setting{
        .name = "maxAsyncJobsDuePerAcquisition",
        .field = kInExecutor<&ExecutorSettings::acquire_page>,
        .least = 1,
        .most = kPage,
        .flowable = "1",
        .camunda = "3",
        .meaning = "Jobs that one acquisition takes at most.",
        .aliases = {"asyncExecutorMaxAsyncJobsDuePerAcquisition", "maxJobsPerAcquisition"},
    },
    Setting{
        .name = "maxBytesPerAcquisition",
        .field = kInExecutor<&ExecutorSettings::acquire_page_bytes>,
        .least = 1,
        .most = kBytes,
        .meaning =
            "Bytes of payloads that one acquisition takes at most; a single job may have more.",
    },
    Setting{
        .name = "acquireAhead",
        .field = kInExecutor<&ExecutorSettings::acquire_ahead>,
        .most = kDay,
        .meaning =
            "How far ahead jobs are acquired: as many as the threads start within this time, "
            "going by how long runs take. The others stay free for other processes. 0: only "
            "what a thread waits for.",
    },
    Setting{
        .name = "acquireFirstWait",
        .field = kInExecutor<&ExecutorSettings::acquire_first_wait>,
        .least = 1,
        .most = kHour,
        .flowable = "PT10S",
        .camunda = "PT5S",
        .meaning = "Wait after the first acquisition that found nothing; it grows with the idle "
                   "time, to a sixteenth of it, up to defaultAsyncJobAcquireWaitTime.",
        .aliases = {"waitTimeInMillis"},
    },
    Setting{
        .name = "defaultAsyncJobAcquireWaitTime",
        .field = kInExecutor<&ExecutorSettings::acquire_wait>,
        .least = 1,
        .most = kHour,
        .flowable = "PT10S",
        .camunda = "PT60S",
        .meaning = "Longest wait between two polls for jobs that other processes added, reached "
                   "after sixteen times as long without a job.",
        .aliases = {"asyncExecutorDefaultAsyncJobAcquireWaitTime", "maxWait"},
    },
    Setting{
        .name = "defaultQueueSizeFullWaitTime",
        .field = kInExecutor<&ExecutorSettings::queue_full_wait>,
        .most = kDay,
        .flowable = "PT0S",
        .meaning = "Longest wait while the queue is full; a queue that has room again ends it.",
        .aliases = {"asyncExecutorDefaultQueueSizeFullWaitTime"},
    },
    Setting{
        .name = "exclusiveOverHierarchies",
        .field = kInExecutor<&ExecutorSettings::exclusive_over_hierarchies>,
        .camunda = "false",
        .meaning = "`true`: exclusive jobs of all instances under one root run one at a time; "
                   "`false`: those of each instance. The same on all nodes.",
        .aliases = {"jobExecutorAcquireExclusiveOverProcessHierarchies"},
    },
    Setting{
        .name = "instancesTogether",
        .field = kInExecutor<&ExecutorSettings::instances_together>,
        .meaning = "`true`: who acquires an exclusive job takes the further ones of its instance "
                   "along, wherever they stand in the table, so that several processes share many "
                   "instances at little cost. Not with another order of acquisition. Needs the "
                   "index that `jobstrand schema index instance --create` makes.",
    },
    Setting{
        .name = "asyncJobAcquisitionEnabled",
        .field = kInExecutor<&ExecutorSettings::acquire_async_jobs>,
        .meaning = "`false`: this process acquires no jobs from the table.",
        .aliases = {"asyncExecutorAsyncJobAcquisitionEnabled"},
    },
    Setting{
        .name = "timerJobAcquisitionEnabled",
        .field = kInExecutor<&ExecutorSettings::acquire_timers>,
        .meaning = "`false`: this process moves no due timers.",
        .aliases = {"asyncExecutorTimerJobAcquisitionEnabled"},
    },
    Setting{
        .name = "resetExpiredJobEnabled",
        .field = kInExecutor<&ExecutorSettings::reset_expired_jobs>,
        .meaning = "`false`: this process does not free the locks of processes that died.",
        .aliases = {"asyncExecutorResetExpiredJobsEnabled"},
    },
    Setting{
        .name = "maxTimerJobsPerAcquisition",
        .field = kInExecutor<&ExecutorSettings::timer_page>,
        .least = 1,
        .most = kPage,
        .flowable = "1",
        .camunda = "3",
        .meaning = "Due timers that one pass moves at most.",
        .aliases = {"asyncExecutorMaxTimerJobsPerAcquisition", "batchTriggerAcquisitionMaxCount"},
    },
    Setting{
        .name = "defaultTimerJobAcquireWaitTime",
        .field = kInExecutor<&ExecutorSettings::timer_wait>,
        .least = 1,
        .most = kHour,
        .flowable = "PT10S",
        .camunda = "PT5S",
        .meaning = "Longest wait until timers that other processes added are seen; known timers "
                   "fire at their time.",
        .aliases = {"asyncExecutorDefaultTimerJobAcquireWaitTime", "idleWaitTime"},
    },
    Setting{
        .name = "timerFireAheadWindow",
        .field = kInExecutor<&ExecutorSettings::fire_ahead>,
        .least = 0,
        .most = kHour,
        .meaning = "With a due timer go those that are due within this time, ahead of it.",
        .aliases = {"batchTriggerAcquisitionFireAheadTimeWindow"},
    },
    Setting{
        .name = "misfireThreshold",
        .field = kInExecutor<&ExecutorSettings::misfire_threshold>,
        .least = 0,
        .most = kDay,
        .meaning = "A turn of a series that is later than this is a misfire.",
    },
    Setting{
        .name = "asyncJobLockTime",
        .field = kInExecutor<&ExecutorSettings::lock_time>,
        .least = 100,
        .most = kDay,
        .flowable = "PT5M",
        .camunda = "PT5M",
        .meaning = "How long a job stays locked when its process dies. A running job's lock is "
                   "renewed every third of it, so it may be shorter than the job.",
        .aliases = {"asyncExecutorAsyncJobLockTimeInMillis", "lockTimeInMillis"},
    },
    Setting{
        .name = "lockGranularity",
        .field = kInExecutor<&ExecutorSettings::lock_granularity>,
        .meaning = "What is locked when jobs are acquired: `row`, each job; `page`, plain jobs of "
                   "PostgreSQL, MariaDB and MySQL by the page, for short jobs in great numbers "
                   "(docs/databases.md). All nodes of a database must agree.",
    },
    Setting{
        .name = "timerLockTime",
        .field = std::monostate{},
        .unit = Unit::milliseconds,
        .most = kDay,
        .meaning = "Accepted, without effect: a due timer is moved in one transaction and is never "
                   "locked on the way.",
        .aliases = {"asyncExecutorTimerLockTimeInMillis"},
    },
    Setting{
        .name = "nodeLease",
        .field = kInExecutor<&ExecutorSettings::node_lease>,
        .least = 300,
        .most = kHour,
        .meaning =
            "A node that has not shown itself for so long is dead, and others take its jobs; "
            "it renews its lease every third of it.",
    },
    Setting{
        .name = "resetExpiredJobsInterval",
        .field = kInExecutor<&ExecutorSettings::reset_interval>,
        .least = 10,
        .most = kHour,
        .flowable = "PT60S",
        .meaning = "How often expired locks are looked for.",
        .aliases = {"asyncExecutorResetExpiredJobsInterval"},
    },
    Setting{
        .name = "resetExpiredJobsPageSize",
        .field = kInExecutor<&ExecutorSettings::reset_page>,
        .least = 1,
        .most = kPage,
        .flowable = "3",
        .meaning = "Expired locks that one statement frees at most.",
        .aliases = {"asyncExecutorResetExpiredJobsPageSize"},
    },
    Setting{
        .name = "awaitTerminationPeriod",
        .field = kInExecutor<&ExecutorSettings::shutdown_wait>,
        .most = kDay,
        .flowable = "PT60S",
        .camunda = "PT60S",
        .meaning = "How long running jobs may take to finish when the service stops.",
        .aliases = {Alias{"asyncExecutorSecondsToWaitOnShutdown", Unit::seconds}},
    },
    Setting{
        .name = "jobTimeLimit",
        .field = kInExecutor<&ExecutorSettings::job_time_limit>,
        .most = kDay,
        .meaning =
            "Deadline that a handler is given for one run; 0: none. Commands are ended at it.",
    },
    Setting{
        .name = "externalTimeLimits",
        .field = kInExecutor<&ExecutorSettings::external_time_limits>,
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
        .field = kInExecutor<&ExecutorSettings::lost_starts>,
        .least = 2,
        .most = 1'000'000,
        .meaning =
            "A job becomes a dead letter when the process that ran it has died so many times "
            "in a row.",
    },
    Setting{
        .name = "numberOfRetries",
        .field = kInRetry<&RetryPolicy::default_attempts>,
        .least = 1,
        .most = schema::limits::kRetryAttempts,
        .flowable = "3",
        .camunda = "3",
        .meaning = "Attempts of a job that does not say it itself, the first one included.",
        .aliases = {"asyncExecutorNumberOfRetries", "defaultNumberOfRetries"},
    },
    Setting{
        .name = "asyncFailedJobWaitTime",
        .field = kInRetry<&RetryPolicy::message_wait>,
        .unit = Unit::seconds,
        .most = kYear,
        .flowable = "PT10S",
        .camunda = "PT0S",
        .meaning = "Wait before the next attempt of a job that had no due date.",
    },
    Setting{
        .name = "defaultFailedJobWaitTime",
        .field = kInRetry<&RetryPolicy::timer_wait>,
        .unit = Unit::seconds,
        .most = kYear,
        .flowable = "PT10S",
        .camunda = "PT0S",
        .meaning = "Wait before the next attempt of a timer.",
    },
    Setting{
        .name = "failedJobRetryTimeCycle",
        .field = &field_at<&Settings::retry_time_cycle>,
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
