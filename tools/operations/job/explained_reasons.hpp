#pragma once

#include "deadletter/explanation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The reasons why a job does not run, in words.
namespace jobstrand::cli {

struct Words {
    std::string text;
    std::string advice = {};
};

/// The facts, as those who tell of them ask.
struct Telling {
    const deadletter::JobFacts& facts;
    const deadletter::NodeView& nodes;

    /// Precondition for all that is about a job: there is one.
    [[nodiscard]] const schema::Job& job() const { return facts.placed->job; }

    /// For a shell.
    [[nodiscard]] std::string id() const;

    /// `2026-11-20T10:15:30.123Z (in 3 min)`.
    [[nodiscard]] std::string when(const std::optional<schema::TimePoint>& time) const;
    [[nodiscard]] std::string lock_end() const { return when(job().lock_expiration); }
};

inline constexpr std::string_view kFreedSoon =
    "a living node frees it at its next look for such locks (resetExpiredJobsInterval, 10 s)";

/// `a, b and 3 more`.
[[nodiscard]] std::string list_of(const std::vector<std::string>& names);

/// `web-1, process 4711`, or the name that was configured.
[[nodiscard]] std::string holder_name(const std::string& lock_owner);

[[nodiscard]] std::vector<std::string> names_of(const deadletter::NodeView::List& nodes);

// Reasons that lie in the job itself, or in nothing but time.

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

// Reasons that lie in the nodes: who lives, who takes what, who holds the job.

[[nodiscard]] Words describe_dead_node(const Telling& t);
[[nodiscard]] Words describe_lock_over(const Telling& t);
[[nodiscard]] Words describe_no_node(const Telling& t);
[[nodiscard]] Words describe_paused(const Telling& t);
[[nodiscard]] Words describe_no_handler(const Telling& t);
[[nodiscard]] Words describe_lacks_need(const Telling& t);
[[nodiscard]] Words describe_out_of_scope(const Telling& t);

// Reasons that lie in other jobs: those of its instance, and those within its limits.

[[nodiscard]] Words describe_exclusive(const Telling& t);
[[nodiscard]] Words describe_limit(const Telling& t);

}  // namespace jobstrand::cli
