#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_counts.hpp"
#include "tools/service/http/http_counts.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/metrics/backlog.hpp"

namespace jobstrand::service {

/// Where the numbers of `/metrics` come from: all of them are counted as things happen, or were
/// seen a while ago, so that a scrape waits for nothing.
struct MetricsParts {
    const ApiParts& api;
    const EnqueueCounts& enqueued;
    const HttpCounts& http;
    Backlog& backlog;
};

[[nodiscard]] Response metrics(const MetricsParts& parts);

}  // namespace jobstrand::service
