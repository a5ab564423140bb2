#pragma once

#include "persistence/incident.hpp"
#include "persistence/job_answer.hpp"
#include "persistence/job_log.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// The past of jobs: the log, and incidents. Both are written by the moves themselves, in their
/// transactions, so that they tell neither more nor less than what was done.
class HistoryStore {
public:
    virtual ~HistoryStore() = default;

    /// The latest first, those that are older than `behind` (an id; empty: all), without details.
    [[nodiscard]] virtual std::vector<JobLogLine>
    job_log(const JobLogFilter& filter, std::string_view behind, std::size_t limit) = 0;

    /// Finds one line, with its details.
    [[nodiscard]] virtual std::optional<JobLogLine> find_log_line(std::string_view id) = 0;

    /// Removes the oldest lines, a page in one transaction. A line that another node is removing is
    /// left to it, so that nobody waits.
    virtual JobLogCleaning clean_job_log(const JobLogBounds& bounds) = 0;

    /// Open ones in the order of their jobs' ids, behind such an id; resolved ones the latest
    /// first, those that are older than the incident `behind`.
    [[nodiscard]] virtual std::vector<Incident>
    incidents(const IncidentFilter& filter, std::string_view behind, std::size_t limit) = 0;

    [[nodiscard]] virtual std::int64_t count_open_incidents() = 0;

    /// Sets the note of the open incidents of these jobs. An empty text removes it.
    [[nodiscard]] virtual std::vector<JobAnswer>
    annotate_incidents(std::span<const std::string> jobs, std::string_view text) = 0;

    /// Their dead letters stay.
    [[nodiscard]] virtual std::vector<JobAnswer>
    resolve_incidents(std::span<const std::string> jobs, schema::TimePoint now) = 0;

    /// Resolved incidents that began before a time, a page of them. As clean_job_log().
    virtual JobLogCleaning clean_incidents(const JobLogBounds& bounds) = 0;
};

}  // namespace jobstrand::persistence
