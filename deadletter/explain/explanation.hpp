#pragma once

#include "deadletter/explain/job_facts.hpp"

#include <string_view>
#include <vector>

/// Why a job does not run now: the one place that decides it. Pure.
namespace jobstrand::deadletter {

enum class ReasonCode {
    not_found,
    dead_letter,
    running,
    behind_sibling,  ///< Its node holds it until another exclusive job of its group has ended.
    held,            ///< Its node has it in its queue, or has just started it.
    held_by_worker,
    suspended,
    not_due,
    dead_node,  ///< No living node has the name of its lock owner.
    lock_over,  ///< Its holder has not renewed its lock.
    no_node,
    paused,  ///< All living nodes are drained, or set to fetch no such jobs.
    no_handler,
    lacks_need,
    out_of_scope,
    exclusive,
    limit,
    external_worker,
    workers_busy,
    overdue_timer,  ///< It is due, and no node has fetched it yet.
    free,
};

/// `out_of_scope`: what scripts rely on.
[[nodiscard]] std::string_view name_of(ReasonCode code);

/// Returns all reasons why the job does not run now, the most decisive first; never empty. Leaves
/// out what can only be known once those are gone.
[[nodiscard]] std::vector<ReasonCode> explain(const JobFacts& facts);

}  // namespace jobstrand::deadletter
