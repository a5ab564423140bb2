#include "tools/service/metrics/run_metrics.hpp"

#include <fmt/format.h>

namespace jobstrand::service {

namespace {

void write_classes(
    MetricsText& text,
    std::string_view name,
    std::string_view help,
    const schema::FailureClasses& classes
) {
    text.begin(name, "counter", help);
    for (const auto& [error_class, failures] : classes.counts()) {
        text.value(failures, label("class", error_class));
    }
}

}  // namespace

void write_outcomes(MetricsText& text, const executor::OutcomeCounts& outcomes) {
    using enum schema::TransitionReason;
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

void write_failures(
    MetricsText& text,
    const schema::FailureClasses& classes,
    const cli::HandlerCounts* handlers
) {
    write_classes(
        text,
        "jobstrand_failures_total",
        "The attempts whose handler failed, by class of error.",
        classes
    );
    if (handlers != nullptr) {
        text.counter(
            "jobstrand_handler_timeouts_total",
            handlers->timed_out.load(),
            "Commands that were ended, and apps that did not answer, at their time limits."
        );
    }
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
    write_classes(
        text,
        "jobstrand_worker_failures_total",
        "The failed attempts of external workers, by class of error.",
        workers.failure_classes
    );
}

void write_actions(MetricsText& text, const deadletter::ActionCounts::Counts& counts) {
    const auto labels_of = [](const deadletter::ActionCounts::Kind& kind) {
        return label("action", kind.action) + ',' + label("result", kind.result);
    };
    text.begin(
        "jobstrand_operator_actions_total",
        "counter",
        "What people have changed through this service, as the audit names it."
    );
    for (const auto& [kind, count] : counts) {
        text.value(count.actions, labels_of(kind));
    }
    text.begin(
        "jobstrand_operator_changed_total",
        "counter",
        "How many jobs or other things these changed."
    );
    for (const auto& [kind, count] : counts) {
        text.value(count.changed, labels_of(kind));
    }
}

}  // namespace jobstrand::service
