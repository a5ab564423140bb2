#pragma once

#include "schema/history/job_event.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// The past of jobs, one line for each thing that happened to one of them.
namespace jobstrand::persistence {

/// A line of the job log. Empty texts and nullopt: it was not so, or the job had none.
struct JobLogLine {
    std::string id = {};  ///< Ascends with the time.
    schema::TimePoint time{};
    schema::JobEvent event = schema::JobEvent::created;
    std::string reason = {};  ///< Name of a schema::TransitionReason, `enqueued` or `replaced`.
    std::string job = {};
    std::optional<int> attempt = {};  ///< Which run it was, from 1; of `failed` and `succeeded`.
    int retries = 0;                  ///< Left afterwards.
    std::int64_t priority = 0;
    std::optional<schema::TimePoint> due_date = {};
    std::string handler_type = {};
    std::string definition = {};
    std::string job_definition = {};
    std::string element = {};
    std::string execution = {};
    std::string root_instance = {};
    std::string instance = {};
    std::string tenant = {};
    std::string node = {};                          ///< The lock owner that held it.
    std::optional<schema::Duration> duration = {};  ///< Of the run, where it is known.
    std::string message = {};
    std::string details = {};  ///< The end of a stack trace or output; only find_log_line() has it.

    bool operator==(const JobLogLine&) const = default;
};

/// Which lines are meant; what is empty restricts nothing.
struct JobLogFilter {
    std::string job = {};
    std::string handler_type = {};
    std::string definition = {};
    std::string instance = {};
    std::string element = {};
    std::string tenant = {};
    std::string node = {};
    std::string reason = {};
    std::vector<schema::JobEvent> events = {};
    std::optional<schema::TimePoint> after = {};   ///< Inclusive.
    std::optional<schema::TimePoint> before = {};  ///< Exclusive.
};

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

}  // namespace jobstrand::persistence
