#pragma once

#include "deadletter/admin/audit_trail.hpp"
#include "executor/report/executor_figures.hpp"
#include "persistence/watch_store.hpp"
#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_counts.hpp"
#include "tools/service/http/http_counts.hpp"
#include "tools/service/metrics/backlog.hpp"
#include "tools/service/metrics/metrics_text.hpp"

#include <optional>
#include <span>

namespace jobstrand::service {

/// What one scrape reads: what is counted as things happen, and what was seen a while ago.
struct Scrape {
    const ApiParts& api;
    const EnqueueCounts& enqueued;
    const HttpCounts& http;
    std::optional<BacklogCounts> backlog;  ///< nullopt: nobody has looked yet.
    persistence::NodeLoad load;
    executor::ActivityTimes times;
    executor::ActivityCounts activities;
    deadletter::ActionCounts::Counts actions;

    [[nodiscard]] const engine::Wiring& engine() const { return api.engine; }
    [[nodiscard]] const executor::OutcomeCounts& outcomes() const {
        return api.engine.outcome_counts();
    }
    [[nodiscard]] const executor::WorkerCounts& workers() const {
        return api.engine.workers().counts();
    }
    [[nodiscard]] const persistence::AccessCounts& database() const {
        return api.engine.access_counts();
    }
};

/// All that the outside needs of a metric: `/metrics` and the table in docs/http.md are made from
/// it. The name says the unit: `_seconds`, `_total`, or what is counted.
struct Metric {
    MetricHead head;

    /// Adds its values; none: the metric is not there.
    void (*read)(const Scrape& scrape, MetricsText& text);
};

/// In the order in which they are told.
[[nodiscard]] std::span<const Metric> all_metrics();

}  // namespace jobstrand::service
