#include "schema/tables.hpp"
#include "tools/service/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace jobstrand::service {

namespace {

using persistence::DbErrorKind;
using schema::JobPlace;
using enum MetricKind;
using enum schema::TransitionReason;

/// Of the causes of dead letters.
constexpr std::size_t kGroupsTold = 5;

/// What somebody can do something about; the others are mistakes of one statement.
constexpr DbErrorKind kWatched[] = {
    DbErrorKind::conflict,
    DbErrorKind::busy,
    DbErrorKind::connection_lost,
    DbErrorKind::in_doubt,
    DbErrorKind::unreachable,
    DbErrorKind::read_only,
    DbErrorKind::storage_full,
    DbErrorKind::unreadable,
};

double seconds_of(schema::Duration time) {
    return std::chrono::duration<double>(time).count();
}

void add_classes(MetricsText& text, const schema::FailureClasses& classes) {
    for (const auto& [error_class, failures] : classes.counts()) {
        text.add(failures, {error_class});
    }
}

/// Calls `add` for each handler type of each place.
void each_type(const BacklogCounts& backlog, const auto& add) {
    for (const persistence::FreeJobs& type : backlog.executable_types) {
        add(name_of(JobPlace::executable), type);
    }
    for (const persistence::FreeJobs& type : backlog.external_types) {
        add(name_of(JobPlace::external_worker), type);
    }
}

/// Calls `add` for each symptom that was answered with a number.
void each_symptom(const BacklogCounts& backlog, const auto& add) {
    for (const persistence::ToldSymptom& told : backlog.symptoms) {
        const bool is_number = !told.symptom.unit.empty();
        if (is_number && told.answer.error.empty() && !told.answer.is_blind) {
            add(told);
        }
    }
}

/// What is seen in the database, once somebody has looked.
template <auto Read>
void of_backlog(const Scrape& s, MetricsText& text) {
    if (s.backlog) {
        Read(*s.backlog, text);
    }
}

constexpr Metric kMetrics[] = {
    {{"jobstrand_completed_total", counter, "Jobs that ended in success here"},
     [](const Scrape& s, MetricsText& text) { text.add(s.outcomes().count({completed})); }},
    {{"jobstrand_failed_total", counter, "Attempts whose handler failed"},
     [](const Scrape& s, MetricsText& text) {
         text.add(s.outcomes().count({retry, retries_exhausted, not_retryable}));
     }},
    {{"jobstrand_retried_total", counter, "Failed attempts that are tried again"},
     [](const Scrape& s, MetricsText& text) { text.add(s.outcomes().count({retry})); }},
    {{"jobstrand_dead_lettered_total", counter, "Jobs that became dead letters after a run here"},
     [](const Scrape& s, MetricsText& text) {
         text.add(s.outcomes().count(
             {retries_exhausted, not_retryable, crash_loop, unreadable, id_taken}
         ));
     }},
    {{"jobstrand_interrupted_total", counter, "Runs that were interrupted; they use no retry"},
     [](const Scrape& s, MetricsText& text) { text.add(s.outcomes().count({interrupted})); }},
    {{"jobstrand_released_total", counter, "Jobs that were freed without a run; they use no retry"},
     [](const Scrape& s, MetricsText& text) {
         text.add(s.outcomes().count({released, not_served}));
     }},
    {{"jobstrand_stale_completion_rejected_total",
      counter,
      "Results that were discarded, because the lock was lost"},
     [](const Scrape& s, MetricsText& text) { text.add(s.outcomes().lost()); }},
    {{"jobstrand_failures_total",
      counter,
      "The attempts whose handler failed, by class of error: what stands before "
      "the first `: ` of the message, if it looks like a name "
      "(`java.io.IOException`) or a code (`HTTP 503`), or what `command` and "
      "`http` say (`exit 3`, `no answer`); else `none`. The 50 classes that came "
      "first, all others as `other`",
      {"class"}},
     [](const Scrape& s, MetricsText& text) { add_classes(text, s.engine().failure_classes()); }},
    {{"jobstrand_handler_timeouts_total",
      counter,
      "Commands that were ended, and apps that did not answer or call back, at "
      "their time limits"},
     [](const Scrape& s, MetricsText& text) {
         if (s.api.handlers != nullptr) {
             text.add(s.api.handlers->timed_out.load());
         }
     }},
    {{"jobstrand_workers", gauge, "Worker threads at most"},
     [](const Scrape& s, MetricsText& text) { text.add(s.load.workers); }},
    {{"jobstrand_running", gauge, "Handlers that run now"},
     [](const Scrape& s, MetricsText& text) { text.add(s.load.running); }},
    {{"jobstrand_held",
      gauge,
      "Jobs that this node holds: queued, running, or about to be written"},
     [](const Scrape& s, MetricsText& text) { text.add(s.load.held); }},
    {{"jobstrand_standstill",
      gauge,
      "1: this node holds jobs and does not get on: a pass does not come back, or "
      "none of them runs; `/health/ready` says which, and a watchdog is not fed"},
     [](const Scrape& s, MetricsText& text) {
         text.add(s.engine().standstill().empty() ? 0.0 : 1.0);
     }},
    {{"jobstrand_refused_outcomes",
      gauge,
      "Jobs that have ended, and of which the database does not take what became "
      "of them: a trigger, a lost right. They are tried again, and no more of "
      "their types are taken"},
     [](const Scrape& s, MetricsText& text) { text.add(s.engine().refused().outcomes); }},
    {{"jobstrand_clock_offset_seconds",
      gauge,
      "How far this machine's clock is ahead of the database's"},
     [](const Scrape& s, MetricsText& text) { text.add(seconds_of(s.engine().clock_skew())); }},
    {{"jobstrand_job_wait_seconds",
      histogram,
      "From when a job could run, its creation or its due date if that is later "
      "(a requeued dead letter: when it was requeued), until its handler was "
      "called"},
     [](const Scrape& s, MetricsText& text) { text.add(s.engine().run_times().waited); }},
    {{"jobstrand_job_run_seconds", histogram, "How long handlers took"},
     [](const Scrape& s, MetricsText& text) { text.add(s.engine().run_times().ran); }},
    {{"jobstrand_claim_seconds", histogram, "How long it took to look for free jobs"},
     [](const Scrape& s, MetricsText& text) { text.add(s.times.claims); }},
    {{"jobstrand_completion_seconds",
      histogram,
      "How long it took to write what became of a batch of runs"},
     [](const Scrape& s, MetricsText& text) { text.add(s.times.completions); }},
    {{"jobstrand_claim_jobs", histogram, "Jobs of the claims that found some"},
     [](const Scrape& s, MetricsText& text) { text.add(s.times.claimed); }},
    {{"jobstrand_completion_jobs",
      histogram,
      "Jobs of which it was written at once what became of them"},
     [](const Scrape& s, MetricsText& text) { text.add(s.times.completed); }},
    {{"jobstrand_claims_total", counter, "Transactions that looked for free jobs"},
     [](const Scrape& s, MetricsText& text) { text.add(s.activities.claims); }},
    {{"jobstrand_empty_claims_total", counter, "Those that found none"},
     [](const Scrape& s, MetricsText& text) { text.add(s.activities.empty_claims); }},
    {{"jobstrand_claimed_total", counter, "Jobs that they locked"},
     [](const Scrape& s, MetricsText& text) { text.add(s.activities.claimed); }},
    {{"jobstrand_timers_moved_total", counter, "Due timers that became executable here"},
     [](const Scrape& s, MetricsText& text) { text.add(s.engine().timers_moved()); }},
    {{"jobstrand_locks_reset_total", counter, "Expired locks that were freed here"},
     [](const Scrape& s, MetricsText& text) { text.add(s.activities.locks_reset); }},
    {{"jobstrand_dead_nodes_total", counter, "Nodes that did not renew their leases, found here"},
     [](const Scrape& s, MetricsText& text) { text.add(s.activities.dead_nodes); }},
    {{"jobstrand_lease_left_seconds",
      gauge,
      "For how long this node's lease still holds; 0: it is over, and no job "
      "starts"},
     [](const Scrape& s, MetricsText& text) { text.add(seconds_of(s.engine().lease_left())); }},
    {{"jobstrand_enqueued_total", counter, "Jobs enqueued over HTTP"},
     [](const Scrape& s, MetricsText& text) { text.add(s.api.enqueued->jobs.load()); }},
    {{"jobstrand_enqueue_transactions_total", counter, "Transactions in which they were enqueued"},
     [](const Scrape& s, MetricsText& text) { text.add(s.api.enqueued->transactions.load()); }},
    {{"jobstrand_enqueue_jobs", histogram, "Jobs of these transactions"},
     [](const Scrape& s, MetricsText& text) { text.add(s.api.enqueued->sizes); }},
    {{"jobstrand_enqueue_duplicates_total",
      counter,
      "What was not enqueued over HTTP, because it had been: jobs with a "
      "`unique_key` that another one has, requests with an `id` that is taken, "
      "requests with a known `idempotency_key`",
      {"reason"}},
     [](const Scrape& s, MetricsText& text) {
         text.add(s.api.enqueued->held_keys.load(), {"unique_key"});
         text.add(s.api.enqueued->taken_ids.load(), {"id"});
         text.add(s.api.enqueued->repeated_requests.load(), {"idempotency_key"});
     }},
    {{"jobstrand_worker_acquired_total", counter, "Jobs that external workers took here"},
     [](const Scrape& s, MetricsText& text) { text.add(s.workers().acquired.load()); }},
    {{"jobstrand_worker_completed_total", counter, "Jobs that external workers completed"},
     [](const Scrape& s, MetricsText& text) { text.add(s.workers().completed.load()); }},
    {{"jobstrand_worker_handed_on_total",
      counter,
      "Jobs of external workers that were handed on to the app"},
     [](const Scrape& s, MetricsText& text) { text.add(s.workers().handed_on.load()); }},
    {{"jobstrand_worker_failed_total", counter, "Attempts that external workers said have failed"},
     [](const Scrape& s, MetricsText& text) { text.add(s.workers().failed.load()); }},
    {{"jobstrand_worker_given_back_total", counter, "Jobs that external workers gave back"},
     [](const Scrape& s, MetricsText& text) { text.add(s.workers().given_back.load()); }},
    {{"jobstrand_worker_not_held_total",
      counter,
      "Results of external workers that were refused, because they did not hold "
      "the job"},
     [](const Scrape& s, MetricsText& text) { text.add(s.workers().not_held.load()); }},
    {{"jobstrand_worker_failures_total",
      counter,
      "The failed attempts of external workers, by class of error as above",
      {"class"}},
     [](const Scrape& s, MetricsText& text) { add_classes(text, s.workers().failure_classes); }},
    {{"jobstrand_operator_actions_total",
      counter,
      "What people have changed through this service, with the words of the "
      "audit: `action=\"dead requeue\"`. What a command line does beside the "
      "service is in the audit only",
      {"action", "result"}},
     [](const Scrape& s, MetricsText& text) {
         for (const auto& [kind, count] : s.actions) {
             text.add(count.actions, {kind.action, kind.result});
         }
     }},
    {{"jobstrand_operator_changed_total",
      counter,
      "How many jobs or other things these changed",
      {"action", "result"}},
     [](const Scrape& s, MetricsText& text) {
         for (const auto& [kind, count] : s.actions) {
             text.add(count.changed, {kind.action, kind.result});
         }
     }},
    {{"jobstrand_database_write_seconds",
      histogram,
      "Transactions that were committed, with the wait for a connection"},
     [](const Scrape& s, MetricsText& text) { text.add(s.database().writes); }},
    {{"jobstrand_database_read_seconds",
      histogram,
      "Reads without a transaction that were answered, with the wait for a "
      "connection"},
     [](const Scrape& s, MetricsText& text) { text.add(s.database().reads); }},
    {{"jobstrand_database_failures_total",
      counter,
      "Tries of transactions and reads that failed; most are tried again. "
      "`conflict`: deadlocks and the like; `busy`: a lock of others was waited "
      "for in vain; `connection_lost`; `in_doubt`: the answer to a commit was "
      "lost; `unreachable`; `read_only`; `storage_full`; `unreadable`: a row "
      "nobody can read",
      {"reason"}},
     [](const Scrape& s, MetricsText& text) {
         for (const DbErrorKind kind : kWatched) {
             text.add(s.database().failures(kind), {name_of(kind)});
         }
     }},
    {{"jobstrand_schema_version", gauge, "The version of the tables that this program works on"},
     [](const Scrape& /*s*/, MetricsText& text) {
         text.add(std::int64_t{schema::kSchemaVersion});
     }},
    {{"jobstrand_http_responses_total", counter, "HTTP responses by status class", {"code"}},
     [](const Scrape& s, MetricsText& text) {
         for (std::size_t digit = 1; digit < s.http.responses.size(); ++digit) {
             text.add(s.http.responses.at(digit).load(), {fmt::format("{}xx", digit)});
         }
     }},
    {{"jobstrand_http_request_duration_seconds", histogram, "From a whole request to its response"},
     [](const Scrape& s, MetricsText& text) { text.add(s.http.durations); }},
    {{"jobstrand_http_connections_total", counter, "HTTP connections accepted"},
     [](const Scrape& s, MetricsText& text) { text.add(s.http.connections.load()); }},
    {{"jobstrand_http_connections_refused_total",
      counter,
      "Those that were refused, or closed for others, because of "
      "`httpMaxConnections`"},
     [](const Scrape& s, MetricsText& text) { text.add(s.http.refused_connections.load()); }},
    {{"jobstrand_http_handshakes_failed_total",
      counter,
      "Clients that did not come through the handshake of TLS"},
     [](const Scrape& s, MetricsText& text) { text.add(s.http.failed_handshakes.load()); }},
    {{"jobstrand_http_connections", gauge, "HTTP connections open now"},
     [](const Scrape& s, MetricsText& text) { text.add(s.http.open_connections.load()); }},
    {{"jobstrand_log_lines_dropped_total",
      counter,
      "Lines of the service's log that found no room, because whoever reads its "
      "stderr had stalled; nothing waits for a log"},
     [](const Scrape& s, MetricsText& text) {
         if (s.api.dropped_log_lines != nullptr) {
             text.add(s.api.dropped_log_lines->load());
         }
     }},
    {{"jobstrand_spans_exported_total",
      counter,
      "With `otlpEndpoint`: spans of runs that the collector took"},
     [](const Scrape& s, MetricsText& text) {
         if (s.api.spans != nullptr) {
             text.add(s.api.spans->exported.load());
         }
     }},
    {{"jobstrand_spans_dropped_total",
      counter,
      "Those that found no room, or that the collector refused"},
     [](const Scrape& s, MetricsText& text) {
         if (s.api.spans != nullptr) {
             text.add(s.api.spans->dropped.load());
         }
     }},
    {{"jobstrand_jobs",
      gauge,
      "Jobs in each place of the database, of all nodes, as seen last",
      {"place"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         for (const deadletter::PlaceCount& count : backlog.jobs) {
             text.add(count.jobs, {name_of(count.place)});
         }
     }>},
    {{"jobstrand_open_incidents",
      gauge,
      "Dead letters that nobody has dealt with yet, counted with `jobstrand_jobs`"},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         text.add(backlog.open_incidents);
     }>},
    {{"jobstrand_oldest_seconds",
      gauge,
      "For how long the oldest free `executable` or `external` job could have "
      "run; the first `timer` has been overdue",
      {"place"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         text.add(seconds_of(backlog.executable_wait), {name_of(JobPlace::executable)});
         text.add(seconds_of(backlog.external_wait), {name_of(JobPlace::external_worker)});
         text.add(seconds_of(backlog.timer_overdue), {name_of(JobPlace::timer)});
     }>},
    {{"jobstrand_free_jobs",
      gauge,
      "Of the first 10,000 free `executable` or `external` jobs: those of the 10 "
      "most frequent handler types",
      {"place", "type"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         each_type(backlog, [&](std::string_view place, const persistence::FreeJobs& type) {
             text.add(type.jobs, {place, type.handler_type});
         });
     }>},
    {{"jobstrand_free_jobs_oldest_seconds",
      gauge,
      "For how long the oldest of these could have run",
      {"place", "type"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         each_type(backlog, [&](std::string_view place, const persistence::FreeJobs& type) {
             if (type.since) {
                 const auto waited = std::max(backlog.seen - *type.since, schema::Duration{0});
                 text.add(seconds_of(waited), {place, type.handler_type});
             }
         });
     }>},
    {{"jobstrand_timers_due",
      gauge,
      "Timers that are due within `1m`, `5m` or `60m`, overdue ones too; 100,000 "
      "are that many or more",
      {"within"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         for (std::size_t i = 0; i < Backlog::kAhead.size(); ++i) {
             const std::string within = fmt::format("{}m", Backlog::kAhead.at(i).count());
             text.add(backlog.timers_due.at(i), {within});
         }
     }>},
    {{"jobstrand_waiting_jobs",
      gauge,
      "Executable jobs that wait for another job of their `exclusive` group, or "
      "for room in a `limit`; 100,000 likewise",
      {"reason"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         text.add(backlog.waiting_jobs.exclusive, {"exclusive"});
         text.add(backlog.waiting_jobs.limited, {"limit"});
     }>},
    {{"jobstrand_dead_letter_groups",
      gauge,
      "Of how many causes the latest 2,000 dead letters died"},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         text.add(std::uint64_t{backlog.dead_letters.groups.size()});
     }>},
    {{"jobstrand_dead_letter_group_jobs",
      gauge,
      "How many of them died of each of the 5 most frequent causes; `jobstrand "
      "dead groups` says what stands behind a `group`",
      {"group", "type", "class"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         const auto& groups = backlog.dead_letters.groups;
         for (std::size_t i = 0; i < std::min(groups.size(), kGroupsTold); ++i) {
             const auto& cause = groups[i].cause;
             text.add(groups[i].jobs, {groups[i].id, cause.handler_type, cause.error_class});
         }
     }>},
    {{"jobstrand_database_symptom",
      gauge,
      "What `jobstrand doctor` asks the database of itself. PostgreSQL: dead rows "
      "of `act_ru_job`, age of the oldest transaction, replication slots; MySQL "
      "and MariaDB: `history list`, age of the oldest transaction; SQLite: "
      "`write-ahead log`, `free pages`. What the service's user may not see is "
      "not there",
      {"name", "unit"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         each_symptom(backlog, [&](const persistence::ToldSymptom& told) {
             text.add(told.answer.number.value_or(0), {told.symptom.name, told.symptom.unit});
         });
     }>},
    {{"jobstrand_database_symptom_limit",
      gauge,
      "Beyond this, doctor finds something wrong",
      {"name", "unit"}},
     of_backlog<[](const BacklogCounts& backlog, MetricsText& text) {
         each_symptom(backlog, [&](const persistence::ToldSymptom& told) {
             text.add(told.symptom.most, {told.symptom.name, told.symptom.unit});
         });
     }>},
};

}  // namespace

std::span<const Metric> all_metrics() {
    return kMetrics;
}

}  // namespace jobstrand::service
