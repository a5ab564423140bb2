#pragma once

#include "tools/operations/explain/telling.hpp"

/// Reasons that lie in the job itself, or in nothing but time.
namespace jobstrand::cli {

[[nodiscard]] Words tell_not_found(const Telling& t);
[[nodiscard]] Words tell_dead_letter(const Telling& t);
[[nodiscard]] Words tell_running(const Telling& t);
[[nodiscard]] Words tell_held(const Telling& t);
[[nodiscard]] Words tell_held_by_worker(const Telling& t);
[[nodiscard]] Words tell_suspended(const Telling& t);
[[nodiscard]] Words tell_not_due(const Telling& t);
[[nodiscard]] Words tell_external_worker(const Telling& t);
[[nodiscard]] Words tell_workers_busy(const Telling& t);
[[nodiscard]] Words tell_overdue_timer(const Telling& t);
[[nodiscard]] Words tell_free_job(const Telling& t);

}  // namespace jobstrand::cli
