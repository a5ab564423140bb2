#pragma once

#include "schema/acquisition.hpp"
#include "schema/concurrency.hpp"
#include "schema/job_events.hpp"
#include "schema/job_failure.hpp"
#include "schema/time.hpp"

#include <jobstrand/options.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// Every knob of an executor. The defaults are chosen for speed and safety; the service's settings
/// map the names of Flowable and Camunda onto these fields and have their classic values as
/// presets.
struct ExecutorSettings {
    /// Whose name stands in LOCK_OWNER_. Empty: one of its own per executor, which tells host
    /// and process (node_presence.hpp). Two executors must never share one.
    std::string lock_owner = {};

    // Workers.

    /// Threads that are started as jobs come. 1 to 1,000.
    std::size_t core_pool_size = 8;
    /// Threads beyond core start only when the queue is full. core_pool_size to 1,000.
    std::size_t max_pool_size = 8;
    /// How long a thread beyond core stays without work. 0 to 24 h.
    schema::Duration keep_alive{std::chrono::seconds(5)};
    /// Acquired jobs that wait for a thread. 1 to 100,000.
    std::size_t queue_size = 4096;
    /// Bytes of payloads that queued and running jobs may have together before no more are taken
    /// in. 1 to 1 TiB.
    std::size_t queue_bytes = std::size_t{64} * 1024 * 1024;

    /// Runs of asynchronous handlers that may be under way at once. 1 to 1,000,000.
    std::size_t async_runs = 1000;

    // Acquisition.

    /// Jobs per acquisition. 1 to 1,000 (limits::kJobsPerTransaction).
    std::size_t acquire_page = 1000;
    /// Bytes of payloads per acquisition; a single job may have more. 1 to 1 TiB.
    std::size_t acquire_page_bytes = std::size_t{16} * 1024 * 1024;
    /// How far ahead jobs are acquired: as many as the threads start within this time, going by how
    /// long runs have taken, so that one node does not keep jobs from others that could run them.
    /// 0: only what a thread waits for. 0 to 24 h.
    schema::Duration acquire_ahead{std::chrono::milliseconds(500)};
    /// The wait after the first poll that found nothing; it grows from there. 1 ms to 1 h.
    schema::Duration acquire_first_wait{std::chrono::milliseconds(10)};
    /// The longest wait between two idle polls, reached after sixteen times as long without a job.
    /// 1 ms to 1 h.
    schema::Duration acquire_wait{std::chrono::seconds(2)};
    /// The longest wait while the queue is full; room in it is announced before. 0 to 24 h.
    schema::Duration queue_full_wait{std::chrono::seconds(5)};
    /// Which jobs come first (R014, R045 to R050), in the table and in the queue. Any order needs
    /// its index (schema::index_of). `aging` is 0 to 365 days, needs by_priority, and excludes
    /// timers_first.
    schema::AcquisitionOrder order = {};
    /// All other jobs are left to others (R053, R100), also those that this node enqueues. Up to
    /// limits::kScopeValues values of each field.
    schema::ServedScope scope = {};
    /// Exclusive jobs of all instances under one root run one at a time (R093), and not only those
    /// of one instance (R092). All nodes of a database must agree.
    bool exclusive_over_hierarchies = false;
    /// A claim of an exclusive job also takes the further ones of its instance (R087), wherever
    /// they stand in the table. Needs schema::kInstanceIndex; not with an `order`.
    bool instances_together = false;
    /// false: this node runs only what is handed to it, and no exclusive jobs of instances.
    bool acquire_async_jobs = true;
    bool acquire_timers = true;
    bool reset_expired_jobs = true;

    // New jobs.

    /// false: every job that this node enqueues has priority 0, whatever it asks for (R017).
    bool prioritized_jobs = true;

    /// A row is made of each kind of job that it enqueues for the first time (see DefinitionUse).
    bool records_definitions = false;

    /// What becomes of a job when an expression of its definition fails.
    bool tolerates_failed_expressions = false;

    // Timers.

    /// Timers per move. 1 to 1,000.
    std::size_t timer_page = 1000;
    /// Timers that other processes insert are seen within it. 1 ms to 1 h.
    schema::Duration timer_wait{std::chrono::seconds(2)};
    /// Timers that are due within this time move together with a due one (R118): fewer transactions
    /// for timers that may be early. 0 to 1 h.
    schema::Duration fire_ahead{0};
    /// A turn that is later than this is a misfire (R119); series may have their own. 0 to 24 h.
    schema::Duration misfire_threshold{std::chrono::seconds(60)};

    // Runs.

    /// JobContext::deadline is this long after the start of a run; zero: no deadline. 0 to 24 h.
    schema::Duration job_time_limit{0};
    /// How long external workers may hold jobs of which handler types: see ExternalLimits.
    std::vector<std::string> external_time_limits = {};
    /// A job becomes a dead letter when so many of its starts were lost: the process died with it.
    /// It is started that often at most. The first one is inferred, because to know it would cost a
    /// write per job: a job that was only queued when its node first died has one start fewer.
    /// 2 to 1,000,000.
    int lost_starts = 3;

    // Locks.

    /// What is locked when jobs are acquired. By the page it excludes an order.
    schema::LockGranularity lock_granularity = schema::LockGranularity::row;
    /// How long a lock holds; it is renewed every third of it while the job is held. 100 ms to 24
    /// h.
    schema::Duration lock_time{std::chrono::seconds(30)};
    /// A node that has not shown itself for so long is dead, and others take its jobs; it renews
    /// its lease every third of it. 300 ms to 1 h.
    schema::Duration node_lease{std::chrono::seconds(10)};
    /// How often locks are looked for that expired without a dead node. 10 ms to 1 h.
    schema::Duration reset_interval{std::chrono::seconds(10)};
    /// Locks freed per statement. 1 to 1,000.
    std::size_t reset_page = 500;

    // Stopping.

    /// How long running jobs may take to end when the executor stops. 0 to 24 h.
    schema::Duration shutdown_wait{std::chrono::seconds(60)};

    schema::RetryPolicy retry = {};

    // The past of jobs.

    schema::HistoryRules history = {};
    schema::HistoryRetention history_retention = {};
};

[[nodiscard]] schema::ExclusiveOver exclusive_over(const ExecutorSettings& settings);

/// What is wrong, one sentence per mistake that names the field and the legal range; empty:
/// nothing.
[[nodiscard]] std::vector<std::string> validate(const ExecutorSettings& settings);

/// How an executor ends.
using jobstrand::StopMode;

}  // namespace jobstrand::executor
