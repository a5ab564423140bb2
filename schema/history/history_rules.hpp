#pragma once

#include "schema/history/job_event.hpp"

#include <string>

namespace jobstrand::schema {

/// What is kept of the past of jobs.
struct HistoryRules {
    JobLogLevel job_log = JobLogLevel::failures;
    bool incidents = true;  ///< Each dead letter opens one (R065, R066).
    /// The target of `http` jobs that report new incidents; empty: none.
    std::string incident_target = {};
};

}  // namespace jobstrand::schema
