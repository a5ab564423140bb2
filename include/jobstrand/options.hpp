#pragma once

#include <jobstrand/history.hpp>
#include <jobstrand/hooks.hpp>
#include <jobstrand/log.hpp>
#include <jobstrand/retry_rule.hpp>
#include <jobstrand/served_scope.hpp>
#include <jobstrand/time.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace jobstrand {

/// How jobs are tried again that do not say it themselves.
struct RetryOptions {
    int attempts = 3;
    Duration wait{std::chrono::seconds(10)};
    std::string cycle = {};  ///< `R5/PT5M` or `PT1M,PT10M`; wins over both.
};

/// How an engine ends.
enum class StopMode {
    drain,    ///< Running jobs may finish within EngineOptions::shutdown_wait.
    at_once,  ///< Running handlers are told to stop as well.
};

/// How an engine opens its database and runs jobs. docs/configuration.md says more about each.
struct EngineOptions {
    /// `sqlite:PATH`, `mysql://user:password@host:port/database`, or `postgresql://...`, with
    /// options as `?key=value`; see docs/databases.md.
    std::string database_url = {};

    /// Create or upgrade the tables when the engine opens; false: tables that do not fit are an
    /// error.
    bool update_schema = true;

    /// Make the index that an order of acquisition, or `instances_together`, needs, when the engine
    /// opens and it is not there. On a long table that takes its time, in which others cannot
    /// write. false: start() throws Error without it.
    bool create_indexes = false;

    std::size_t threads = 8;        ///< That run handlers. 1 to 1,000.
    std::size_t queue_size = 4096;  ///< Jobs that wait for a thread. 1 to 100,000.
    std::size_t queue_bytes =
        std::size_t{64} * 1024 * 1024;  ///< Of payloads of queued and running jobs.
    std::size_t async_runs = 1000;      ///< Of asynchronous handlers. 1 to 1,000,000.
    std::size_t acquire_page = 1000;    ///< Jobs taken at once. 1 to 1,000.
    std::size_t acquire_page_bytes =
        std::size_t{16} * 1024 * 1024;        ///< Of payloads, taken at once.
    bool acquire_jobs = true;                 ///< false: it runs only what is handed to it.
    bool acquire_timers = true;               ///< false: due timers are left to other nodes.
    bool reset_expired_locks = true;          ///< false: freeing them is left to other nodes.
    bool acquire_by_priority = false;         ///< Each order needs an index: `schema index`.
    bool prefer_timers = false;               ///< After the priority, jobs with a due date first.
    bool acquire_by_due_date = false;         ///< Then the earliest due date, else creation.
    Duration priority_aging{0};               ///< By priority: one step is worth so long a wait.
    bool tenants_in_turn = false;             ///< Nobody waits behind another tenant's backlog.
    ServedScope scope = {};                   ///< What is not in it is left to other nodes.
    bool exclusive_over_hierarchies = false;  ///< Else over one instance; see Job::exclusive.
    bool instances_together = false;          ///< See docs/configuration.md; needs an index too.
    bool claim_pages = false;                 ///< lockGranularity = page: docs/databases.md.
    bool prioritized_jobs = true;             ///< false: what is enqueued here has priority 0.
    bool record_definitions = false;          ///< Each kind of job that is enqueued here is listed.
    bool tolerate_failed_expressions = false;  ///< Of definitions. false: the job is refused.
    Duration acquire_ahead{std::chrono::milliseconds(500)};      ///< Work taken for the threads.
    Duration acquire_first_wait{std::chrono::milliseconds(10)};  ///< First of an idle poll.
    Duration queue_full_wait{std::chrono::seconds(5)};  ///< The longest wait for room in it.
    Duration acquire_wait{std::chrono::seconds(2)};     ///< The longest wait of an idle poll.
    Duration timer_wait{std::chrono::seconds(2)};       ///< The same for timers of others.
    Duration timer_fire_ahead{0};   ///< With a due timer go those due within this time.
    std::size_t timer_page = 1000;  ///< Due timers moved at once. 1 to 1,000.
    Duration lock_time{std::chrono::seconds(30)};          ///< Renewed while a job is held.
    Duration node_lease{std::chrono::seconds(10)};         ///< A node silent for so long is dead.
    Duration reset_interval{std::chrono::seconds(10)};     ///< How often expired locks are sought.
    std::size_t reset_page = 500;                          ///< Locks freed at once. 1 to 1,000.
    Duration job_time_limit{0};                            ///< JobContext::deadline; 0: none.
    std::vector<std::string> external_time_limits = {};    ///< `mail=PT30S`; see configuration.md.
    int lost_starts = 3;                                   ///< That make a dead letter.
    Duration misfire_threshold{std::chrono::seconds(60)};  ///< A later turn is a misfire.
    Duration shutdown_wait{std::chrono::seconds(60)};      ///< For running jobs, when it stops.
    std::string lock_owner = {};                           ///< Empty: HOST:PROCESS:RANDOM, best.
    RetryOptions retry = {};
    HistoryOptions history = {};
    RetryRule retry_rule = {};  ///< Goes before `retry`, and before what handlers say.
    Hooks hooks = {};

    WriteLog log = log_to_stderr;
    LogLevel log_level = LogLevel::info;  ///< The least that is logged.
};

}  // namespace jobstrand
