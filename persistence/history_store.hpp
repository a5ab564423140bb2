#pragma once

#include "persistence/transactions.hpp"
#include "schema/job_events.hpp"
#include "schema/time.hpp"

#include <jobstrand/history.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What may be forgotten.
struct JobLogBounds {
    schema::TimePoint before{};          ///< Lines from before that.
    std::optional<std::int64_t> rows{};  ///< And all but the latest so many.
    std::size_t page = 500;              ///< Most lines in one transaction.
};

/// What came of cleaning a page.
struct JobLogCleaning {
    std::int64_t removed = 0;
    bool is_more = false;  ///< There may be more to remove.
};

/// Of a job whose retries are used up; `failedExternalTask` of an external one.
inline constexpr std::string_view kFailedJob = "failedJob";
inline constexpr std::string_view kFailedExternalTask = "failedExternalTask";

/// How an incident ended.
enum class IncidentEnd {
    requeued,  ///< Its dead letter was.
    removed,   ///< Its dead letter was.
    by_hand,   ///< Somebody has resolved it, and left the dead letter where it is.
};

[[nodiscard]] std::string_view name_of(IncidentEnd end);

/// The past of jobs: the log, and incidents, of which a job has at most one that is open. Both are
/// written by the moves themselves, in their transactions, so that they tell neither more nor less
/// than what was done.
class HistoryStore {
public:
    virtual ~HistoryStore() = default;

    /// The latest first, those that are older than `behind` (an id; empty: all), without details.
    [[nodiscard]] virtual std::vector<JobLogLine>
    job_log(const JobLogQuery& filter, std::string_view behind, std::size_t limit) = 0;

    /// Finds one line, with its details.
    [[nodiscard]] virtual std::optional<JobLogLine> find_log_line(std::string_view id) = 0;

    /// Removes the oldest lines, a page in one transaction. A line that another node is removing is
    /// left to it, so that nobody waits.
    virtual JobLogCleaning clean_job_log(const JobLogBounds& bounds) = 0;

    /// Open ones in the order of their jobs' ids, behind such an id; resolved ones the latest
    /// first, those that are older than the incident `behind`.
    [[nodiscard]] virtual std::vector<Incident>
    incidents(const IncidentQuery& filter, std::string_view behind, std::size_t limit) = 0;

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
