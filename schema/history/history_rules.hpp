#pragma once

#include "schema/history/job_event.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <string>

namespace jobstrand::schema {

/// What is kept of the past of jobs.
struct HistoryRules {
    JobLogLevel job_log = JobLogLevel::failures;
    bool incidents = true;  ///< Each dead letter opens one (R065, R066).
    /// The target of `http` jobs that report new incidents; empty: none.
    std::string incident_target = {};
};

/// When the job log and resolved incidents are forgotten.
struct HistoryRetention {
    bool is_enabled = true;  ///< false: this node forgets nothing, others may.
    /// What is older is removed. 0 to 100 years; 0: nothing is for its age.
    Duration age{std::chrono::hours(24 * 30)};
    std::int64_t rows = 1'000'000;  ///< Of the log, the latest that are kept. 0: all.
    /// Of each handler type, the last runs that succeeded which are kept. 0: this node tells of
    /// none.
    std::int64_t runs = 100;
    Duration runs_age{std::chrono::hours(24 * 7)};  ///< As `age`; of the last runs.
    /// From and to which time of the day it is done (see DayWindow); empty: always.
    std::string window_start = {};
    std::string window_end = {};
    /// A node that does not take jobs of this priority leaves it to others (R055).
    std::int64_t priority = 0;

    bool operator==(const HistoryRetention&) const = default;
};

}  // namespace jobstrand::schema
