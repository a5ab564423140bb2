#pragma once

#include "tools/operations/explain/telling.hpp"

/// Reasons that lie in the job itself, or in nothing but time.
namespace jobstrand::cli {

[[nodiscard]] Words describe_not_found(const Telling& t);
[[nodiscard]] Words describe_dead_letter(const Telling& t);
[[nodiscard]] Words describe_running(const Telling& t);
[[nodiscard]] Words describe_held(const Telling& t);
[[nodiscard]] Words describe_held_by_worker(const Telling& t);
[[nodiscard]] Words describe_suspended(const Telling& t);
[[nodiscard]] Words describe_not_due(const Telling& t);
[[nodiscard]] Words describe_external_worker(const Telling& t);
[[nodiscard]] Words describe_workers_busy(const Telling& t);
[[nodiscard]] Words describe_overdue_timer(const Telling& t);
[[nodiscard]] Words describe_free_job(const Telling& t);

}  // namespace jobstrand::cli
