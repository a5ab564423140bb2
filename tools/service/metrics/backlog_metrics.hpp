#pragma once

#include "tools/service/metrics/backlog.hpp"
#include "tools/service/metrics/metrics_text.hpp"

namespace jobstrand::service {

/// What the database said when it was asked last.
void write_backlog(MetricsText& text, const BacklogCounts& backlog);

}  // namespace jobstrand::service
