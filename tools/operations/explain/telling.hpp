#pragma once

#include "deadletter/explain/job_facts.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What reasons are told with.
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

}  // namespace jobstrand::cli
