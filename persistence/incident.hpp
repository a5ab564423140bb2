#pragma once

#include "schema/time.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

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

/// That a job became a dead letter, and has to be looked at. There is at most one open one of a
/// job, which is named by the job's id.
struct Incident {
    std::string id = {};  ///< Ascends with the time. Kept when it is resolved.
    std::string job = {};
    schema::TimePoint time{};
    std::string type = {};
    std::string cause = {};  ///< Name of the schema::TransitionReason.
    std::string message = {};
    std::string handler_type = {};
    std::string definition = {};
    std::string job_definition = {};
    std::string element = {};
    std::string execution = {};
    std::string instance = {};
    std::string tenant = {};
    std::string node = {};        ///< The lock owner that held the job.
    std::string annotation = {};  ///< What an operator has noted.

    // Only resolved ones have these.
    std::optional<schema::TimePoint> end = {};
    std::string resolution = {};  ///< Name of an IncidentEnd.

    bool operator==(const Incident&) const = default;
};

/// Told of each new incident after the commit, on the thread that committed: it must not block, and
/// not throw. A process that dies in between tells nobody.
using OnIncident = std::function<void(const Incident&)>;

/// Which incidents are meant; what is empty restricts nothing.
struct IncidentFilter {
    bool is_open = true;  ///< false: the resolved ones.
    std::string job = {};
    std::string handler_type = {};
    std::string definition = {};
    std::string instance = {};
    std::string cause = {};
    std::string tenant = {};
    std::optional<schema::TimePoint> after = {};   ///< When it began; inclusive.
    std::optional<schema::TimePoint> before = {};  ///< Exclusive.

    bool operator==(const IncidentFilter&) const = default;
};

}  // namespace jobstrand::persistence
