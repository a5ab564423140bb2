#pragma once

#include "tools/operations/explain/telling.hpp"

/// Reasons that lie in the nodes: who lives, who takes what, who holds the job.
namespace jobstrand::cli {

[[nodiscard]] Words describe_dead_node(const Telling& t);
[[nodiscard]] Words describe_lock_over(const Telling& t);
[[nodiscard]] Words describe_no_node(const Telling& t);
[[nodiscard]] Words describe_paused(const Telling& t);
[[nodiscard]] Words describe_no_handler(const Telling& t);
[[nodiscard]] Words describe_lacks_need(const Telling& t);
[[nodiscard]] Words describe_out_of_scope(const Telling& t);

}  // namespace jobstrand::cli
