#pragma once

#include "tools/service/api/api_parts.hpp"
#include "tools/service/api/enqueue_counts.hpp"
#include "tools/service/http/http_counts.hpp"
#include "tools/service/http/message.hpp"

namespace jobstrand::service {

/// Where the numbers of `/metrics` come from: all of them are counted as things happen, so that a
/// scrape asks the database nothing.
struct MetricsParts {
    const ApiParts& api;
    const EnqueueCounts& enqueued;
    const HttpCounts& http;
};

[[nodiscard]] Response metrics(const MetricsParts& parts);

}  // namespace jobstrand::service
