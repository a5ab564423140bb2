#pragma once

#include "schema/job.hpp"
#include "schema/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace jobstrand::persistence {

/// What can be suspended: whole instances, definitions, kinds of jobs and tenants; the turns of
/// series, by their key or by their group; and single jobs. The public SuspendedScope has those for
/// which apps have no better call.
enum class SuspensionScope {
    instance,
    definition,
    series,
    timer_group,
    job_definition,         ///< Named as schema::text_of(JobDefinitionName) does.
    tenant,                 ///< Of up to 64 characters.
    new_of_definition,      ///< New jobs of a definition; those that are there run on.
    new_of_job_definition,  ///< The same of a kind of jobs.
    job,
};

/// Whether what is suspended is named as schema::text_of(JobDefinitionName) does.
[[nodiscard]] constexpr bool is_of_kind(SuspensionScope scope) {
    return scope == SuspensionScope::job_definition ||
           scope == SuspensionScope::new_of_job_definition;
}

/// Told how many jobs have moved so far, between two transactions of a move that takes many; false:
/// stop here. What is suspended stays so, and nodes move what they meet of the rest.
using OnMoved = std::function<bool(std::int64_t moved)>;

struct Suspension {
    SuspensionScope scope = SuspensionScope::instance;
    std::string id;
    schema::TimePoint since;
};

/// An instance or a definition, and its jobs.
struct ScopeSummary {
    std::string id;
    std::optional<schema::TimePoint> suspended_since = {};  ///< nullopt: it is not suspended.
    std::map<schema::JobPlace, std::int64_t> jobs = {};     ///< Only places that hold some.
};

/// Whom an exclusive job waits for.
struct AwaitedGroup {
    std::string group;       ///< The instance, or the root of the hierarchy.
    std::string lock_owner;  ///< Who holds it; empty: nobody any more.
};

}  // namespace jobstrand::persistence
