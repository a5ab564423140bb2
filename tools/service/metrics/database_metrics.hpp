#pragma once

#include "persistence/sql/health/access_counts.hpp"
#include "tools/service/metrics/metrics_text.hpp"

namespace jobstrand::service {

/// How the database answers this node.
void write_database(MetricsText& text, const persistence::AccessCounts& counts);

}  // namespace jobstrand::service
