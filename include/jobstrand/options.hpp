#pragma once

#include <jobstrand/history.hpp>
#include <jobstrand/log.hpp>
#include <jobstrand/retry_rule.hpp>
#include <jobstrand/served_scope.hpp>
#include <jobstrand/time.hpp>

#include <cstddef>
#include <string>

namespace jobstrand {

/// How jobs are tried again that do not say it themselves.
struct RetryOptions {
    int attempts = 3;
    Duration wait{std::chrono::seconds(10)};
    std::string cycle = {};  ///< `R5/PT5M` or `PT1M,PT10M`; wins over both.
};

/// How an engine opens its database and runs jobs. docs/configuration.md says more about each.
struct EngineOptions {
    /// `sqlite:PATH`, `mysql://user:password@host:port/database`, or `postgresql://...`, with
    /// options as `?key=value`; see docs/databases.md.
    std::string database_url = {};

    /// Create or upgrade the tables when the engine opens; false: tables that do not fit are an
    /// error.
    bool update_schema = true;

    std::size_t threads = 8;                  ///< That run handlers. 1 to 1,000.
    std::size_t queue_size = 4096;            ///< Jobs that wait for a thread. 1 to 100,000.
    std::size_t async_runs = 1000;            ///< Of asynchronous handlers. 1 to 1,000,000.
    std::size_t acquire_page = 1000;          ///< Jobs taken at once. 1 to 1,000.
    bool acquire_by_priority = false;         ///< Each order needs an index: `schema index`.
    bool prefer_timers = false;               ///< After the priority, jobs with a due date first.
    bool acquire_by_due_date = false;         ///< Then the earliest due date, else creation.
    Duration priority_aging{0};               ///< By priority: one step is worth so long a wait.
    bool tenants_in_turn = false;             ///< Nobody waits behind another tenant's backlog.
    ServedScope scope = {};                   ///< What is not in it is left to other nodes.
    bool exclusive_over_hierarchies = false;  ///< Else over one instance; see Job::exclusive.
    bool instances_together = false;          ///< See docs/configuration.md; needs an index too.
    bool claim_pages = false;                 ///< lockGranularity = page: docs/databases.md.
    Duration acquire_wait{std::chrono::seconds(2)};        ///< The longest wait of an idle poll.
    Duration timer_wait{std::chrono::seconds(2)};          ///< The same for timers of others.
    Duration lock_time{std::chrono::seconds(30)};          ///< Renewed while a job is held.
    Duration node_lease{std::chrono::seconds(10)};         ///< A node silent for so long is dead.
    Duration reset_interval{std::chrono::seconds(10)};     ///< How often expired locks are sought.
    Duration job_time_limit{0};                            ///< JobContext::deadline; 0: none.
    int lost_starts = 3;                                   ///< That make a dead letter.
    Duration misfire_threshold{std::chrono::seconds(60)};  ///< A later turn is a misfire.
    Duration shutdown_wait{std::chrono::seconds(60)};      ///< For running jobs, when it stops.
    std::string lock_owner = {};                           ///< Empty: HOST:PROCESS:RANDOM, best.
    RetryOptions retry = {};
    HistoryOptions history = {};
    RetryRule retry_rule = {};  ///< Goes before `retry`, and before what handlers say.

    WriteLog log = log_to_stderr;
    LogLevel log_level = LogLevel::info;  ///< The least that is logged.
};

}  // namespace jobstrand
