#pragma once

#include "persistence/job_store.hpp"
#include "persistence/transaction.hpp"
#include "schema/job.hpp"

#include <set>
#include <span>
#include <string>

namespace jobstrand::persistence {

/// The word for a scope in JS_SUSPENSION.
[[nodiscard]] std::string_view name_of(SuspensionScope scope);

/// Which instances and definitions of some jobs are suspended.
struct SuspendedScopes {
    std::set<std::string, std::less<>> instances;
    std::set<std::string, std::less<>> definitions;

    [[nodiscard]] bool contain(const schema::Job& job) const {
        return instances.contains(job.process_instance_id) ||
               definitions.contains(job.process_definition_id);
    }
};

/// Asks nothing for jobs without instance and definition. A suspension that is found cannot be
/// lifted before the transaction ends: the activation that lifts it then finds the job that this
/// transaction puts into the suspended place.
[[nodiscard]] SuspendedScopes
find_suspended(Transaction& transaction, std::span<const schema::Job* const> jobs);

}  // namespace jobstrand::persistence
