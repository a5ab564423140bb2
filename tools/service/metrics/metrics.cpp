#include "tools/service/metrics/metrics.hpp"

#include "tools/service/metrics/metric_table.hpp"

namespace jobstrand::service {

Response metrics(const MetricsParts& parts) {
    engine::Wiring& engine = parts.api.engine;
    const Scrape scrape{
        .api = parts.api,
        .enqueued = parts.enqueued,
        .http = parts.http,
        .backlog = parts.backlog.last(),
        .load = engine.load(),
        .times = engine.activity_times(),
        .activities = engine.activity_counts(),
        .actions = engine.action_counts().counts(),
    };
    MetricsText text;
    for (const Metric& metric : all_metrics()) {
        text.begin(metric.head);
        metric.read(scrape, text);
    }
    return {
        .status = 200,
        .content_type = std::string(MetricsText::kContentType),
        .body = text.text(),
    };
}

}  // namespace jobstrand::service
