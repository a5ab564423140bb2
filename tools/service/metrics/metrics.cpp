#include "tools/service/metrics/metrics.hpp"

#include "executor/report/outcome_counts.hpp"
#include "tools/service/http/metrics_text.hpp"
#include "tools/service/metrics/database_metrics.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::service {

namespace {

using schema::TransitionReason;

void write_outcomes(MetricsText& text, const executor::OutcomeCounts& outcomes) {
    using enum TransitionReason;
    text.counter(
        "jobstrand_completed_total", outcomes.count({completed}), "Jobs that ended in success here."
    );
    text.counter(
        "jobstrand_failed_total",
        outcomes.count({retry, retries_exhausted, not_retryable}),
        "Attempts whose handler failed."
    );
    text.counter(
        "jobstrand_retried_total", outcomes.count({retry}), "Failed attempts that are tried again."
    );
    text.counter(
        "jobstrand_dead_lettered_total",
        outcomes.count({retries_exhausted, not_retryable, crash_loop, unreadable, id_taken}),
        "Jobs that became dead letters after a run here."
    );
    text.counter(
        "jobstrand_interrupted_total",
        outcomes.count({interrupted}),
        "Runs that were interrupted; they use no retry."
    );
    text.counter(
        "jobstrand_released_total",
        outcomes.count({released, not_served}),
        "Jobs that were freed without a run."
    );
    text.counter(
        "jobstrand_stale_completion_rejected_total",
        outcomes.lost(),
        "Results that were discarded, because the lock was lost."
    );
}

double seconds(schema::Duration time) {
    return std::chrono::duration<double>(time).count();
}

void write_node(MetricsText& text, const engine::Wiring& engine) {
    const persistence::NodeLoad load = engine.load();
    text.gauge("jobstrand_workers", static_cast<double>(load.workers), "Worker threads at most.");
    text.gauge("jobstrand_running", static_cast<double>(load.running), "Handlers that run now.");
    text.gauge(
        "jobstrand_held",
        static_cast<double>(load.held),
        "Jobs that this node holds: queued, running, or about to be written."
    );
    text.gauge(
        "jobstrand_clock_offset_seconds",
        seconds(engine.clock_skew()),
        "How far this machine's clock is ahead of the database's."
    );
}

void write_activities(MetricsText& text, const engine::Wiring& engine) {
    const executor::RunTimes& times = engine.run_times();
    text.histogram(
        "jobstrand_job_wait_seconds",
        times.waited,
        "From when a job could run until its handler was called."
    );
    text.histogram("jobstrand_job_run_seconds", times.ran, "How long handlers took.");
    const executor::ActivityTimes transactions = engine.activity_times();
    text.histogram(
        "jobstrand_claim_seconds", transactions.claims, "How long it took to look for free jobs."
    );
    text.histogram(
        "jobstrand_completion_seconds",
        transactions.completions,
        "How long it took to write what became of a batch of runs."
    );
    const executor::ActivityCounts counts = engine.activity_counts();
    text.counter(
        "jobstrand_claims_total", counts.claims, "Transactions that looked for free jobs."
    );
    text.counter("jobstrand_empty_claims_total", counts.empty_claims, "Those that found none.");
    text.counter("jobstrand_claimed_total", counts.claimed, "Jobs that they locked.");
    text.counter(
        "jobstrand_timers_moved_total",
        engine.timers_moved(),
        "Due timers that became executable here."
    );
    text.counter(
        "jobstrand_locks_reset_total", counts.locks_reset, "Expired locks that were freed here."
    );
    text.counter(
        "jobstrand_dead_nodes_total",
        counts.dead_nodes,
        "Nodes that did not renew their leases, found here."
    );
    text.gauge(
        "jobstrand_lease_left_seconds",
        seconds(engine.lease_left()),
        "For how long this node's lease still holds; 0: it is over, and no job starts."
    );
}

void write_workers(MetricsText& text, const executor::WorkerCounts& workers) {
    text.counter(
        "jobstrand_worker_acquired_total",
        workers.acquired.load(),
        "Jobs that external workers took."
    );
    text.counter(
        "jobstrand_worker_completed_total",
        workers.completed.load(),
        "Jobs that external workers completed."
    );
    text.counter(
        "jobstrand_worker_handed_on_total",
        workers.handed_on.load(),
        "Jobs of external workers that were handed on to the app."
    );
    text.counter(
        "jobstrand_worker_failed_total",
        workers.failed.load(),
        "Attempts that external workers said have failed."
    );
    text.counter(
        "jobstrand_worker_given_back_total",
        workers.given_back.load(),
        "Jobs that external workers gave back."
    );
    text.counter(
        "jobstrand_worker_not_held_total",
        workers.not_held.load(),
        "Results of external workers that were refused, because they did not hold the job."
    );
}

void write_backlog(MetricsText& text, const BacklogCounts& backlog) {
    text.begin("jobstrand_jobs", "gauge", "Jobs in each place of the database, as seen last.");
    for (const deadletter::PlaceCount& count : backlog.jobs) {
        text.value(
            static_cast<double>(count.jobs), fmt::format("place=\"{}\"", name_of(count.place))
        );
    }
    text.begin(
        "jobstrand_oldest_seconds",
        "gauge",
        "For how long the oldest free job could have run, and the first timer has been overdue."
    );
    text.value(seconds(backlog.executable_wait), "place=\"executable\"");
    text.value(seconds(backlog.external_wait), "place=\"external\"");
    text.value(seconds(backlog.timer_overdue), "place=\"timer\"");
}

void write_http(MetricsText& text, const HttpCounts& http) {
    text.begin("jobstrand_http_responses_total", "counter", "HTTP responses by status class.");
    for (std::size_t digit = 1; digit < http.responses.size(); ++digit) {
        text.value(http.responses.at(digit).load(), fmt::format("code=\"{}xx\"", digit));
    }
    text.histogram(
        "jobstrand_http_request_duration_seconds",
        http.durations,
        "From a whole request to its response."
    );
    text.counter(
        "jobstrand_http_connections_total", http.connections.load(), "HTTP connections accepted."
    );
    text.counter(
        "jobstrand_http_connections_refused_total",
        http.refused_connections.load(),
        "HTTP connections beyond httpMaxConnections."
    );
    text.counter(
        "jobstrand_http_handshakes_failed_total",
        http.failed_handshakes.load(),
        "Handshakes of TLS that did not come to an end."
    );
    text.gauge(
        "jobstrand_http_connections",
        static_cast<double>(http.open_connections.load()),
        "HTTP connections open now."
    );
}

void write_spans(MetricsText& text, const cli::SpanCounts& spans) {
    text.counter(
        "jobstrand_spans_exported_total", spans.exported.load(), "Spans that the collector took."
    );
    text.counter(
        "jobstrand_spans_dropped_total",
        spans.dropped.load(),
        "Spans that found no room, or that the collector refused."
    );
}

}  // namespace

Response metrics(const MetricsParts& parts) {
    MetricsText text;
    write_outcomes(text, parts.api.engine.outcome_counts());
    write_node(text, parts.api.engine);
    write_activities(text, parts.api.engine);
    text.counter(
        "jobstrand_enqueued_total", parts.enqueued.jobs.load(), "Jobs enqueued over HTTP."
    );
    text.counter(
        "jobstrand_enqueue_transactions_total",
        parts.enqueued.transactions.load(),
        "Transactions in which they were enqueued."
    );
    write_workers(text, parts.api.engine.workers().counts());
    if (const auto backlog = parts.backlog.last()) {
        write_backlog(text, *backlog);
    }
    write_database(text, parts.api.engine.access_counts());
    write_http(text, parts.http);
    if (parts.api.spans != nullptr) {
        write_spans(text, *parts.api.spans);
    }
    return {
        .status = 200,
        .content_type = std::string(MetricsText::kContentType),
        .body = text.text(),
    };
}

}  // namespace jobstrand::service
