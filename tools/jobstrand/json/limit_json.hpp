#pragma once

#include "deadletter/desk/limit_desk.hpp"
#include "tools/jobstrand/output/record.hpp"

namespace jobstrand::cli {

/// A limit as `limit set` writes it: its name and its numbers.
[[nodiscard]] Record record_of(const schema::JobLimit& limit);

/// As `limit ls` writes it: what runs and waits within it, too.
[[nodiscard]] Record record_of(const deadletter::LimitSummary& summary);

}  // namespace jobstrand::cli
