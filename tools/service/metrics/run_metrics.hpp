#pragma once

#include "deadletter/desk/action_counts.hpp"
#include "executor/report/outcome_counts.hpp"
#include "executor/workers/worker_counts.hpp"
#include "schema/failure_classes.hpp"
#include "tools/jobstrand/handlers/handler_counts.hpp"
#include "tools/service/metrics/metrics_text.hpp"

/// What has become of jobs through this node.
namespace jobstrand::service {

void write_outcomes(MetricsText& text, const executor::OutcomeCounts& outcomes);

/// Of runs here. `handlers`: nullptr: nobody has counted.
void write_failures(
    MetricsText& text,
    const schema::FailureClasses& classes,
    const cli::HandlerCounts* handlers
);

void write_workers(MetricsText& text, const executor::WorkerCounts& workers);

/// What people have changed.
void write_actions(MetricsText& text, const deadletter::ActionCounts::Counts& counts);

}  // namespace jobstrand::service
