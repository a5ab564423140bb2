#include "tools/service/metrics/metrics.hpp"

#include "tools/service/metrics/backlog_metrics.hpp"
#include "tools/service/metrics/database_metrics.hpp"
#include "tools/service/metrics/metrics_text.hpp"
#include "tools/service/metrics/run_metrics.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::service {

namespace {

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
        "jobstrand_standstill",
        engine.standstill().empty() ? 0 : 1,
        "1: this node holds jobs and does not get on; /health/ready says why."
    );
    text.gauge(
        "jobstrand_refused_outcomes",
        static_cast<double>(engine.refused().outcomes),
        "Jobs that have ended, and of which the database does not take what became of them."
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
    text.histogram(
        "jobstrand_claim_jobs", transactions.claimed, "Jobs of the claims that found some."
    );
    text.histogram(
        "jobstrand_completion_jobs",
        transactions.completed,
        "Jobs of which it was written at once what became of them."
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

void write_enqueued(MetricsText& text, const EnqueueCounts& enqueued) {
    text.counter("jobstrand_enqueued_total", enqueued.jobs.load(), "Jobs enqueued over HTTP.");
    text.counter(
        "jobstrand_enqueue_transactions_total",
        enqueued.transactions.load(),
        "Transactions in which they were enqueued."
    );
    text.histogram("jobstrand_enqueue_jobs", enqueued.sizes, "Jobs of these transactions.");
    text.begin(
        "jobstrand_enqueue_duplicates_total",
        "counter",
        "What was not enqueued over HTTP, because it had been before."
    );
    text.value(enqueued.held_keys.load(), "reason=\"unique_key\"");
    text.value(enqueued.taken_ids.load(), "reason=\"id\"");
    text.value(enqueued.repeated_requests.load(), "reason=\"idempotency_key\"");
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
    write_failures(text, parts.api.engine.failure_classes(), parts.api.handlers);
    write_node(text, parts.api.engine);
    write_activities(text, parts.api.engine);
    write_enqueued(text, parts.enqueued);
    write_workers(text, parts.api.engine.workers().counts());
    write_actions(text, parts.api.engine.action_counts().counts());
    if (const auto backlog = parts.backlog.last()) {
        write_backlog(text, *backlog);
    }
    write_database(text, parts.api.engine.access_counts());
    write_http(text, parts.http);
    if (parts.api.dropped_log_lines != nullptr) {
        text.counter(
            "jobstrand_log_lines_dropped_total",
            parts.api.dropped_log_lines->load(),
            "Lines of the log that found no room, because whoever reads it had stalled."
        );
    }
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
